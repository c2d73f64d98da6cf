/* SPDX-License-Identifier: MIT */
/* The real vendor's library of glvnd. */
#ifndef GLP_VENDOR_H
#define GLP_VENDOR_H

/**
 * glp_vendor_open() - open a real vendor's library
 * @variable:	of the environment: libraries separated by colons
 * @usual:	what it is where nothing is said
 * @n:		which of them
 * @symbol:	the vendor's main function
 *
 * Return: that function; NULL: there is no n-th one, or it cannot be opened. It stays open.
 */
void *glp_vendor_open(const char *variable, const char *usual, unsigned int n, const char *symbol);

/*
 * Show the symbols of the library that has @symbol to everybody who looks among all libraries.
 */
void glp_vendor_show_own(void *symbol);

#endif
