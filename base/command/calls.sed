# SPDX-License-Identifier: MIT
# Each name of calls.txt that the kernel's headers have becomes a CALL(name).
s/^[a-z0-9_]\{1,\}$/#ifdef __NR_&\
CALL(&)\
#endif/p
