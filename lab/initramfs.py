# SPDX-License-Identifier: MIT
"""Initramfs layers: cpio archives that the kernel unpacks one after the other.

A tree is a dict: path in the guest without leading slash -> Entry. Layers are concatenated; a later one replaces files of an
earlier one (Documentation/driver-api/early-userspace/buffer-format.rst of Linux). They are not compressed: unpacking under
emulation costs more than reading.
"""
import os
import stat

CPIO_ALIGN = 4


class Entry:
    """A file, directory, symbolic link or device of a layer; device: its major and minor number."""

    def __init__(self, mode, data=b'', uid=0, path=None, device=(0, 0)):
        self.mode, self.data, self.uid, self.path, self.device = mode, data, uid, path, device

    def content(self):
        """The bytes of the file, or the target of the link."""
        if self.path is None:
            return self.data
        with open(self.path, 'rb') as f:
            return f.read()


def text(content, mode=0o644):
    """A file with this text."""
    return Entry(stat.S_IFREG | mode, content.encode())


def binary(content, mode=0o644):
    """A file with these bytes."""
    return Entry(stat.S_IFREG | mode, content)


def copy(path, mode=None):
    """A file of the host."""
    return Entry(stat.S_IFREG | (mode or stat.S_IMODE(os.stat(path).st_mode)), path=path)


def link(target):
    """A symbolic link."""
    return Entry(stat.S_IFLNK | 0o777, target.encode())


def folder(mode=0o755, uid=0):
    """A directory."""
    return Entry(stat.S_IFDIR | mode, uid=uid)


def _pad(data):
    return data + b'\0' * (-len(data) % CPIO_ALIGN)


def _member(number, name, entry, content):
    nlink = 2 if stat.S_ISDIR(entry.mode) else 1
    fields = (number, entry.mode, entry.uid, entry.uid, nlink, 0, len(content), 0, 0, *entry.device, len(name) + 1, 0)
    head = b'070701' + b''.join(b'%08X' % f for f in fields)
    return _pad(head + name + b'\0') + _pad(content)


def archive(tree):
    """The cpio archive (newc) of a tree; the directories above an entry are added where the tree has them not."""
    tree = dict(tree)
    for path in list(tree):
        while path := os.path.dirname(path):
            tree.setdefault(path, folder())
    parts = [_member(n + 1, os.fsencode(path), tree[path], tree[path].content()) for n, path in enumerate(sorted(tree))]
    parts.append(_member(0, b'TRAILER!!!', Entry(0), b''))
    data = b''.join(parts)
    # Between archives the kernel skips zeros in steps of four; whole pages keep the layers readable in a dump.
    return data + b'\0' * (-len(data) % 512)


def read_archive(data):
    """The tree of an archive made of one or more layers: the inverse of archive(), for tests and to look into a layer."""
    tree, at = {}, 0
    while at < len(data):
        if data[at:at + 1] == b'\0':
            at += 1
            continue
        if data[at:at + 6] != b'070701':
            raise ValueError(f'no cpio header at byte {at}')
        fields = [int(data[at + 6 + 8 * i:at + 14 + 8 * i], 16) for i in range(13)]
        mode, uid, size, name_bytes = fields[1], fields[2], fields[6], fields[11]
        name = data[at + 110:at + 110 + name_bytes - 1]
        begin = at + 110 + name_bytes + (-(110 + name_bytes) % CPIO_ALIGN)
        at = begin + size + (-size % CPIO_ALIGN)
        if name != b'TRAILER!!!':
            tree[os.fsdecode(name)] = Entry(mode, data[begin:begin + size], uid)
    return tree
