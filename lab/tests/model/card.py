# SPDX-License-Identifier: MIT
"""A card that is a model, for the tests of this folder: its chips, what is known of their events, and how to ask it."""
import os
import re
import signal
import socket
import struct
import subprocess
import tempfile

import command as t
from command import PATIENCE, environment, equal, err, has, ntime

# The chip and the PMC.BOOT_0 that tells so: bits 20 to 28.
CHIPS = {'G80': 0x50, 'G84': 0x84, 'G86': 0x86, 'G92': 0x92, 'G94': 0x94, 'G96': 0x96, 'G98': 0x98, 'G200': 0xa0, 'GT215': 0xa3, 'GT216': 0xa5,
         'GT218': 0xa8}
BUSY = 'vfetch_b.1 & vfetch_b.0 | vfetch_a.1 & vfetch_a.0'

SAMPLE = '!(tex_level.0 & tex_level.1 & tex_level.2 & tex_level.3)'
BASE = '!tex_level.0 & !tex_level.1 & !tex_level.2 & !tex_level.3'


def amount(unit, bits, function='1'):
    """A sum: the wires of its amount, the lowest bit first."""
    return f'{function}; amount ' + ' '.join(f'{unit}.{i}' for i in range(bits))


EVENTS = {'gpu_idle': 'idle.0', 'input_assembler_busy': BUSY, 'input_assembler_waits_for_fb': 'vfetch_wait.0', 'vertex_attribute_count': BUSY,
          'geom_vertex_in_count': amount('vfetch_vertex', 3), 'geom_primitive_in_count': 'vfetch_prim.0', 'geom_vertex_out_count': 'vattr.1',
          'geom_primitive_out_count': 'vattr.0', 'stream_out_busy': 'strmout.0 & strmout.1', 'setup_primitive_count': 'trast.0',
          'setup_point_count': 'trast.1 & trast.6 & trast.7', 'setup_line_count': 'trast.2 & trast.6 & trast.7',
          'setup_triangle_count': 'trast.3 & trast.6 & trast.7', 'setup_primitive_culled_count': 'culled.0',
          'rasterizer_tiles_killed_by_zcull_count': amount('zcull_killed', 6), 'rasterizer_tiles_in_count': amount('zcull_in', 6),
          'rop_busy': 'prop_rop.2 & prop_rop.3 | prop_rop.4 & prop_rop.5', 'rop_waits_for_shader': 'prop_rop.6 & !prop_rop.7',
          'rop_waits_for_fb': 'crop_wait.3 & !crop_wait.2 | zrop_wait.3 & !zrop_wait.2',
          'rasterizer_pixels_out_count.0': 'prop_out.7 & prop_out.6', 'rasterizer_pixels_out_count.1': amount('prop_out', 6, 'prop_out.7'),
          'rop_samples_in_count.0': 'prop_samples.7 & prop_samples.6', 'rop_samples_in_count.1': amount('prop_samples', 6, 'prop_samples.7'),
          'rop_samples_killed_by_earlyz_count': amount('prop_earlyz', 6, 'prop_earlyz.7'),
          'rop_samples_killed_by_latez_count': amount('prop_latez', 6, 'prop_latez.7'),
          'texture_waits_for_fb': 'tex_cache.2', 'texture_sample_base_level_rate.0': SAMPLE, 'texture_sample_base_level_rate.1': BASE,
          'texture_sample_average_level.0': SAMPLE, 'texture_sample_average_level.1': BASE,
          'geom_busy': 'geom_mp0.0 & geom_mp0.1 | geom_mp1.0 & geom_mp1.1',
          'geom_waits_for_shader': 'geom_mp0.0 & !geom_mp0.1 | geom_mp1.0 & !geom_mp1.1',
          'shader_waits_for_geom': 'shader_mp0.0 & !shader_mp0.1 | shader_mp1.0 & !shader_mp1.1',
          'shader_waits_for_texture': 'shader_tex.2 & !shader_tex.3 | shader_tex.0 & !shader_tex.1',
          'shader_waits_for_rop': 'shader_rop.0 & !shader_rop.1', 'texture_busy': 'shader_tex.2 | tex_shader.0 & tex_shader.1',
          'texture_waits_for_shader': 'tex_shader.0 & !tex_shader.1'}
SHADED = [f'!prop_shaded_{u}.0 & prop_shaded_{u}.1 & !prop_shaded_{u}.2' for u in 'abc']
SHADED_1 = [amount(f'prop_shaded_{u}', 6, f'prop_shaded_{u}.7') for u in 'abc']
# Sums of three functions, which take three passes.
LATER = {'shaded_pixel_count.0': SHADED, 'shaded_pixel_count.1': SHADED_1}
# Nobody can count them.
ABSENT = ['shader_busy', 'shaded_pixel_count', 'rasterizer_pixels_out_count', 'rop_samples_in_count', 'texture_sample_base_level_rate',
          'texture_sample_average_level', *(f'{stage}_shader_{what}' for stage in ('vertex', 'geometry', 'pixel') for what in ('busy', 'instruction_rate'))]
# What compute programs do: on all but G80, on chips that tell sizes, and on those that have the requests there.
COMPUTE = {'gld_incoherent': 'coherence.0', 'gld_coherent': 'coherence.1', 'gst_incoherent': 'coherence.2', 'gst_coherent': 'coherence.3',
           'local_load': 'local.0', 'local_store': 'local.1', 'cta_launched': 'cta.0', 'tex_cache_miss': 'tex_cache.0', 'tex_cache_hit': 'tex_cache.1'}
SIZES = {f'{u}_{size}': f'{u}.{i}' for u in ('gld', 'gst') for i, size in enumerate(('128b', '64b', '32b'))} | {
    f'{u}_total': f'{u}.0 | {u}.1 | {u}.2' for u in ('gld', 'gst')}
REQUESTS = {'gld_request': 'gld.3', 'gst_request': 'gst.3'}
# Of an MP's own counters, with the word that sets one to it; two more of G200.
OF_MP = {'branch': '0x02aaaa40', 'divergent_branch': '0x09aaaa40', 'instructions': '0x04aaaa40', 'sm_cta_launched': '0x33aaaa10', 'warp_serialize': '0x0baaaa00',
         **{f'prof_trigger_0{i}': f'{0x26 + i:#x}aaaa10' for i in range(8)}}
OF_MP_G200 = OF_MP | {'gld_request': '0x34aaaa10', 'gst_request': '0x35aaaa10'}
# Wires that each TPC has.
SHARED = re.compile(r'\b(prop_|tex_|geom_|shader_|coherence|gld|gst|local|cta)')
# The first two are other functions there, and it has two more.
OF_G80 = {'rasterizer_pixels_out_count.1': amount('prop_out', 6), 'shaded_pixel_count.0': 'prop_out.7 & prop_out.6',
          'shaded_pixel_count.1': amount('prop_out', 6)}


def compute_of(chip):
    return {} if chip == 'G80' else COMPUTE | (SIZES if CHIPS[chip] >= 0xa0 else {}) | (REQUESTS if chip.startswith('GT') else {})


def events_of(chip):
    return EVENTS | (OF_G80 if chip == 'G80' else LATER) | compute_of(chip)


HELLO = struct.Struct('=IIII')
REQUEST = struct.Struct('=IIII')
REPLY = struct.Struct('=iI')
READ, WRITE, HOLD, TEXT = 1, 2, 3, 4
EPERM, EBUSY, EINVAL = 1, 16, 22


def out(done):
    return done.stdout.decode()


def model(*args, status=0):
    done = ntime('model', *args)
    equal(done.returncode, status, f'exit status of {args}: {err(done)}')
    return out(done).rstrip('\n') if status == 0 else err(done)


class Card:
    """A model that runs, and its socket."""

    def __init__(self, chip='GT218', scene=None, options=()):
        self.chip, self.scene, self.options = chip, scene, options

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, 'card.sock')
        options = [*self.options]
        if self.scene is not None:
            options += ['--scene', os.path.join(self.folder.name, 'work.scene')]
            with open(options[-1], 'w', encoding='ascii') as f:
                f.write(self.scene)
        self.child = subprocess.Popen([t.NTIME, 'model', 'run', self.chip, '--listen', self.path, *options], stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), start_new_session=True)
        t.GROUPS.append(self.child.pid)
        equal(self.child.stdout.readline().decode(), f'{self.chip} listens at {self.path}\n')
        return self

    def end(self, sig=signal.SIGINT):
        self.child.send_signal(sig)
        _, said = self.child.communicate(timeout=PATIENCE)
        return self.child.returncode, said.decode()

    def __exit__(self, *what):
        if self.child.poll() is None:
            self.end()
        self.folder.cleanup()

    def connect(self):
        client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        client.settimeout(PATIENCE)
        client.connect(self.path)
        hello = HELLO.unpack(client.recv(4096))
        equal(hello[:2], (0x6c646d6e, 1), 'hello')
        return client


def ask(client, kind, address=0, value=0, channel=0, text=b''):
    client.send(REQUEST.pack(kind, address, value, channel) + text)
    got = client.recv(4096)
    return (*REPLY.unpack(got[:REPLY.size]), got[REPLY.size:].decode())


def perfkit_list():
    """NVPerfKit's published counters that a card of this kind can count: name, number, domain and how it is shown."""
    domain1 = {'geom_primitive_in_count': 52, 'geom_primitive_out_count': 53, 'geom_vertex_in_count': 54, 'geom_vertex_out_count': 55, 'gpu_idle': 62,
               'input_assembler_busy': 69, 'input_assembler_waits_for_fb': 70, 'rasterizer_tiles_in_count': 93, 'rasterizer_tiles_killed_by_zcull_count': 94,
               'setup_line_count': 108, 'setup_point_count': 109, 'setup_primitive_count': 110, 'setup_primitive_culled_count': 111, 'setup_triangle_count': 112,
               'stream_out_busy': 134}
    domain2 = {'rop_busy': 95, 'rop_samples_killed_by_earlyz_count': 96, 'rop_samples_killed_by_latez_count': 97, 'rop_waits_for_fb': 98,
               'rop_waits_for_shader': 99, 'texture_waits_for_fb': 144}
    domain3 = {'geom_busy': 50, 'shader_waits_for_geom': 120, 'shader_waits_for_rop': 121, 'shader_waits_for_texture': 122, 'texture_busy': 143,
               'texture_waits_for_shader': 145}
    computed = {'gpu_busy': 207, 'vertex_attribute_count': 211, 'geom_waits_for_shader': 215}
    rows = [(number, name, domain) for domain, names in ((2, domain1), (3, domain2), (4, domain3), (0, computed)) for name, number in names.items()]
    return [(name, number, domain, 'raw' if name.endswith('_count') and number != 211 else 'ratio') for number, name, domain in sorted(rows)]
