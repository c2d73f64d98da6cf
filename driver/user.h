/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* How much each user has of what he can make without end. */
#ifndef NTD_USER_H
#define NTD_USER_H

struct ntd_user;

/**
 * ntd_user_charge() - one more mapping of the caller
 *
 * A user and all users of the namespaces that he made are one. Costs the same however many there
 * are. Who has CAP_SYS_RESOURCE is counted, and not refused.
 *
 * Context: sleeps.
 * Return: for ntd_user_uncharge(), or ERR_PTR(-EAGAIN) (the user has as many as he may),
 * ERR_PTR(-ENOMEM).
 */
struct ntd_user *ntd_user_charge(void);

/**
 * ntd_user_uncharge() - a mapping is gone
 * @user: who was charged for it, whoever the caller is
 */
void ntd_user_uncharge(struct ntd_user *user);

#endif
