# SPDX-License-Identifier: MIT
"""The lab: guests in which ntime counts on PMUs whose true counts are known. See README.md."""
