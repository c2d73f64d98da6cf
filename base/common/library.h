/* SPDX-License-Identifier: MIT */
/* A library of others that is not there, as a sentence. */
#ifndef NTI_LIBRARY_H
#define NTI_LIBRARY_H

#include "base/common/absence.h"
#include "base/common/error.h"
#include "base/lazy/lazy.h"

/*
 * Load @l, which @what needs ("JSON", "the topology"). 0, or -ELIBACC with a sentence in @e that
 * says what to install. Nobody needs to call it for the library to work: it is for those who can
 * refuse.
 */
int nti_library_need(struct nti_lazy *l, const char *what, struct nti_error *e);
/* 1: @l cannot be loaded, and @out says why; 0: it is there; -ENOMEM. */
int nti_library_explain(struct nti_lazy *l, struct nti_absence *out);

#endif
