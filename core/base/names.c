// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Names of registers, and why some are secret, written out without a C library. */
#include "core/base/names.h"

/* Where characters go: those that do not fit are counted all the same. */
struct text {
	char *buffer;
	size_t size;
	size_t length;
};

static void put(struct text *t, char c)
{
	if (t->length + 1 < t->size)
		t->buffer[t->length] = c;
	t->length++;
}

static void put_number(struct text *t, uint32_t number)
{
	char digits[10];
	size_t n = 0;

	do {
		digits[n++] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	while (n)
		put(t, digits[--n]);
}

static size_t format(const struct nthw_reg *reg, const char *name, uint32_t index, char *buffer,
		     size_t size)
{
	struct text t = { buffer, size, 0 };
	uint32_t number = reg->first + index;
	bool has_number = false;

	for (; name && *name; name++) {
		if (*name != '#') {
			put(&t, *name);
			continue;
		}
		put_number(&t, number);
		has_number = true;
	}
	if (t.length && !has_number && reg->count > 1)
		put_number(&t, number);
	if (size)
		buffer[t.length < size ? t.length : size - 1] = '\0';
	return t.length;
}

size_t nthw_reg_name(const struct nthw_reg *reg, uint32_t index, char *buffer, size_t size)
{
	return format(reg, reg->name, index, buffer, size);
}

size_t nthw_reg_linux_name(const struct nthw_reg *reg, uint32_t index, char *buffer, size_t size)
{
	return format(reg, reg->linux_name, index, buffer, size);
}

bool nthw_name_is(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

/* Is @name that of an instance of @reg? */
static bool find_instance(const struct nthw_reg *reg, const char *name, uint32_t *index)
{
	char buffer[NTHW_NAME_SIZE];
	uint32_t i;

	for (i = 0; i < reg->count; i++) {
		*index = i;
		nthw_reg_name(reg, i, buffer, sizeof(buffer));
		if (nthw_name_is(buffer, name))
			return true;
		nthw_reg_linux_name(reg, i, buffer, sizeof(buffer));
		if (buffer[0] && nthw_name_is(buffer, name))
			return true;
	}
	return false;
}

const struct nthw_reg *nthw_find_name(const struct nthw_table *const *tables, size_t count,
				      const char *name, const struct nthw_table **table,
				      uint32_t *index)
{
	size_t i, k;

	for (i = 0; i < count; i++) {
		for (k = 0; k < tables[i]->count; k++) {
			if (!find_instance(tables[i]->regs[k], name, index))
				continue;
			*table = tables[i];
			return tables[i]->regs[k];
		}
	}
	return NULL;
}

const char *nthw_secret_why(enum nthw_secret secret)
{
	switch (secret) {
	case NTHW_SECRET_ENERGY:
		return "energy in small steps tells what other programs compute, keys included "
		       "(CVE-2020-8694, CVE-2020-8695, CVE-2020-12912)";
	case NTHW_SECRET_ADDRESS:
		return "it holds or selects addresses that other programs use";
	case NTHW_SECRET_NONE:
		break;
	}
	return NULL;
}
