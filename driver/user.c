// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * How much each user has of what he can make without end.
 *
 * Open files and VMAs are bounded and charged by the kernel. A mapping holds a page and what an
 * architecture needs for it besides, and closing the file does not end it, so no limit of the
 * kernel's bounds how many of them a user has: it charges pages to a control group, if there is
 * one, and the event of perf that a mapping may need to nobody.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "driver/user.h"

/*
 * Enough for twelve counters of each of 340 CPUs; at most 16 MiB of pages, and where each is of
 * another thread 5 MiB of perf's events.
 */
static unsigned int mappings_per_user = 4096;
module_param(mappings_per_user, uint, 0644);
MODULE_PARM_DESC(mappings_per_user,
		 "mappings of register files that a user without CAP_SYS_RESOURCE may have (4096)");

/* Somebody who has mappings. */
struct ntd_user {
	struct hlist_node node;
	kuid_t uid;
	unsigned int mappings;
};

static DEFINE_HASHTABLE(users, 8);
static DEFINE_SPINLOCK(lock); /* of the table and all in it */

/*
 * Who answers for the caller before the machine's administrator: whoever made the outermost of his
 * namespaces may have given himself any number of users in it.
 */
static kuid_t accountable(void)
{
	const struct user_namespace *ns = current_user_ns();
	kuid_t uid = current_uid();

	for (; ns->parent; ns = ns->parent)
		uid = ns->owner;
	return uid;
}

static struct ntd_user *user_find(kuid_t uid)
{
	struct ntd_user *user;

	lockdep_assert_held(&lock);
	hash_for_each_possible(users, user, node, __kuid_val(uid))
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

/* @fresh becomes the user's entry if there is none; then *@fresh is NULL. */
static struct ntd_user *charge(kuid_t uid, unsigned int most, struct ntd_user **fresh)
{
	struct ntd_user *user;

	spin_lock(&lock);
	user = user_find(uid);
	if (user ? user->mappings >= most : !most) {
		user = ERR_PTR(-EAGAIN);
	} else {
		if (!user) {
			user = *fresh;
			*fresh = NULL;
			hash_add(users, &user->node, __kuid_val(uid));
		}
		user->mappings++;
	}
	spin_unlock(&lock);
	return user;
}

struct ntd_user *ntd_user_charge(void)
{
	unsigned int most = READ_ONCE(mappings_per_user);
	struct ntd_user *user, *fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);

	if (!fresh)
		return ERR_PTR(-ENOMEM);
	fresh->uid = accountable();
	user = charge(fresh->uid, most, &fresh);
	if (IS_ERR(user) && capable(CAP_SYS_RESOURCE))
		user = charge(fresh->uid, UINT_MAX, &fresh);
	kfree(fresh);
	return user;
}

void ntd_user_uncharge(struct ntd_user *user)
{
	spin_lock(&lock);
	if (--user->mappings)
		user = NULL;
	else
		hash_del(&user->node);
	spin_unlock(&lock);
	kfree(user);
}
