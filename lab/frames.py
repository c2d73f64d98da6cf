# SPDX-License-Identifier: MIT
"""Frames: how a guest and the runner talk over the port of a guest.

lab/init.c describes them. A reader takes bytes as they come and gives whole frames; whatever is not a frame, or is one whose
number, length or checksum is wrong, is an error and never a result.
"""
import zlib

LONGEST_HEAD = 64
LONGEST_PAYLOAD = 16384


class Damaged(Exception):
    """What came over the port is not what was sent."""


def _sum(kind, payload):
    return zlib.crc32(payload, zlib.crc32(kind.encode('latin-1')))


class Reader:
    """Bytes in, frames out."""

    def __init__(self):
        self.bytes, self.number = bytearray(), 0

    def feed(self, data):
        """Add bytes; returns the frames (type, payload) that are whole now. Raises Damaged."""
        self.bytes += data
        frames, at = [], 0
        while True:
            frame, end = self._one(at)
            if frame is None:
                break
            frames.append(frame)
            at = end
        del self.bytes[:at]
        return frames

    def is_between(self):
        """True when no frame is half received."""
        return not self.bytes

    def _one(self, at):
        end = self.bytes.find(b'\n', at, at + LONGEST_HEAD)
        if end < 0:
            if len(self.bytes) - at >= LONGEST_HEAD:
                raise Damaged(f'no frame begins with {bytes(self.bytes[at:at + LONGEST_HEAD])!r}')
            return None, at
        kind, number, length, total = self._head(bytes(self.bytes[at:end]))
        last = end + 1 + length
        if len(self.bytes) <= last:
            return None, at
        payload = bytes(self.bytes[end + 1:last])
        if number != self.number:
            raise Damaged(f'frame {number} came where {self.number} was due: something between was lost')
        if self.bytes[last] != 0x0a or _sum(kind, payload) != total:
            raise Damaged(f'the {length} bytes of frame {number} are not those that were sent')
        self.number += 1
        return (kind, payload), last + 1

    @staticmethod
    def _head(line):
        words = line.split(b' ')
        try:
            if len(words) != 4 or len(words[0]) != 2 or words[0][:1] != b'#':
                raise ValueError
            kind, number, length, total = chr(words[0][1]), int(words[1]), int(words[2]), int(words[3], 16)
            # Only the one form in which each number is written.
            if not 0 <= length <= LONGEST_PAYLOAD or line != b'#%c %d %d %08x' % (words[0][1], number, length, total):
                raise ValueError
        except ValueError:
            raise Damaged(f'{line!r} is not the head of a frame') from None
        return kind, number, length, total


class Writer:
    """Makes the frames of one direction."""

    def __init__(self):
        self.number = 0

    def frame(self, kind, payload=b''):
        """The bytes of the next frame."""
        if len(payload) > LONGEST_PAYLOAD:
            raise ValueError(f'{len(payload)} bytes do not fit into a frame')
        head = f'#{kind} {self.number} {len(payload)} {_sum(kind, payload):08x}\n'.encode()
        self.number += 1
        return head + payload + b'\n'
