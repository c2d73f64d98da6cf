# SPDX-License-Identifier: MIT
"""What a terminal of the kind vt100 would show: enough of it for what curses sends, and an error for what is not known."""
import re

# ESC ( B and the like; ESC = and >; CSI ? modes; CSI numbers letter
SEQUENCE = re.compile(r'\x1b(?:[()][A-Z0-9]|[=>78M]|\[\??([0-9;]*)([A-Za-z]))')


class Screen:
    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.cells = [[' '] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.top, self.bottom = 0, rows - 1  # what scrolls
        self.rest = ''
        self.colours = False

    def resize(self, rows, columns):
        self.cells = [(line + [' '] * columns)[:columns] for line in self.cells[:rows]]
        self.cells += [[' '] * columns for _ in range(rows - len(self.cells))]
        self.rows, self.columns = rows, columns
        self.top, self.bottom = 0, rows - 1
        self.row, self.column = min(self.row, rows - 1), min(self.column, columns - 1)

    def erase(self, row, begin, end):
        for column in range(begin, min(end, self.columns)):
            self.cells[row][column] = ' '

    def down(self):
        """To the next line; at the last one of what scrolls, all of it goes up."""
        if self.row == self.bottom:
            del self.cells[self.top]
            self.cells.insert(self.bottom, [' '] * self.columns)
        else:
            self.row = min(self.row + 1, self.rows - 1)

    def up(self):
        if self.row == self.top:
            del self.cells[self.bottom]
            self.cells.insert(self.top, [' '] * self.columns)
        else:
            self.row = max(self.row - 1, 0)

    def csi(self, numbers, letter):
        n = [int(number) if number else 0 for number in numbers.split(';')]
        first = max(n[0], 1)
        if letter in 'Hf':
            self.row = min(first, self.rows) - 1
            self.column = min(max(n[1], 1) if len(n) > 1 else 1, self.columns) - 1
        elif letter == 'A':
            self.row = max(self.row - first, 0)
        elif letter == 'B':
            self.row = min(self.row + first, self.rows - 1)
        elif letter == 'C':
            self.column = min(self.column + first, self.columns - 1)
        elif letter == 'D':
            self.column = max(self.column - first, 0)
        elif letter == 'K':
            begin, end = ((self.column, self.columns), (0, self.column + 1), (0, self.columns))[n[0]]
            self.erase(self.row, begin, end)
        elif letter == 'J':
            if n[0] != 0:
                raise AssertionError(f'CSI {numbers}J is not known')
            self.erase(self.row, self.column, self.columns)
            for row in range(self.row + 1, self.rows):
                self.erase(row, 0, self.columns)
        elif letter == 'm':
            self.colours = self.colours or any(30 <= number <= 47 for number in n)
        elif letter == 'r':
            self.top = first - 1
            self.bottom = min(n[1] if len(n) > 1 and n[1] else self.rows, self.rows) - 1
            self.row = self.column = 0
        elif letter not in 'hl':
            raise AssertionError(f'CSI {numbers}{letter} is not known')

    def put(self, c):
        if c == '\r':
            self.column = 0
        elif c == '\n':
            self.down()
        elif c == '\b':
            self.column = max(self.column - 1, 0)
        elif c >= ' ':
            if self.column >= self.columns:
                raise AssertionError(f'{c!r} is beyond column {self.columns}')
            self.cells[self.row][self.column] = c
            self.column = min(self.column + 1, self.columns - 1)
        elif c not in '\x0e\x0f\0':
            raise AssertionError(f'{c!r} is not known')

    def feed(self, text):
        text = self.rest + text
        at = 0
        while at < len(text):
            if text[at] != '\x1b':
                self.put(text[at])
                at += 1
                continue
            found = SEQUENCE.match(text, at)
            if not found:
                if len(text) - at > 16:
                    raise AssertionError(f'{text[at:at + 16]!r} is not known')
                break
            if found.group(2):
                self.csi(found.group(1), found.group(2))
            elif found.group() == '\x1bM':
                self.up()
            at = found.end()
        self.rest = text[at:]

    def lines(self):
        return [''.join(line).rstrip() for line in self.cells]

    def __str__(self):
        return '\n'.join(self.lines())
