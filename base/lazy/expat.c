// SPDX-License-Identifier: MIT
/* expat: rules-ng-ng databases of registers. */
#include <expat.h>

#include "base/lazy/define.h"

#define FUNCTIONS(F)                                                                               \
	F(XML_Parser, NULL, XML_ParserCreate, (const XML_Char *encoding), (encoding))              \
	F(void, (void)0, XML_ParserFree, (XML_Parser p), (p))                                      \
	F(void, (void)0, XML_SetUserData, (XML_Parser p, void *arg), (p, arg))                     \
	F(void, (void)0, XML_SetElementHandler,                                                    \
	  (XML_Parser p, XML_StartElementHandler start, XML_EndElementHandler end),                \
	  (p, start, end))                                                                         \
	F(void, (void)0, XML_SetCharacterDataHandler,                                              \
	  (XML_Parser p, XML_CharacterDataHandler handler), (p, handler))                          \
	F(void, (void)0, XML_SetEntityDeclHandler, (XML_Parser p, XML_EntityDeclHandler handler),  \
	  (p, handler))                                                                            \
	F(void *, NULL, XML_GetBuffer, (XML_Parser p, int bytes), (p, bytes))                      \
	F(enum XML_Status, XML_STATUS_ERROR, XML_ParseBuffer,                                      \
	  (XML_Parser p, int bytes, int is_last), (p, bytes, is_last))                             \
	F(enum XML_Status, XML_STATUS_ERROR, XML_StopParser, (XML_Parser p, XML_Bool can_go_on),   \
	  (p, can_go_on))                                                                          \
	F(XML_Size, 0, XML_GetCurrentLineNumber, (XML_Parser p), (p))                              \
	F(XML_Index, -1, XML_GetCurrentByteIndex, (XML_Parser p), (p))                             \
	F(enum XML_Error, XML_ERROR_NO_MEMORY, XML_GetErrorCode, (XML_Parser p), (p))              \
	F(const XML_LChar *, "", XML_ErrorString, (enum XML_Error code), (code))

NTI_LAZY_DEFINE(expat, "libexpat.so.1", "libexpat1", "databases of registers", FUNCTIONS)
