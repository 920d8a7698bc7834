// What hostile files say: numbers at the edges of what fields hold, and names that mean something
// to JavaScript, Python or a file system.

export const NUMBERS: readonly bigint[] = [
  ...[0n, 1n, 2n, 3n, 4n, 7n, 8n, 16n, 31n, 32n, 63n, 64n, 65n, 100n, 127n, 128n, 255n, 256n],
  ...[-1n, -2n, -8n, -128n, 1000n, 65535n, 65536n, 10n ** 6n, 2n ** 24n, 2n ** 28n],
  ...[2n ** 31n - 1n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 33n, 10n ** 12n],
  ...[2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 62n, 2n ** 63n - 1n, -(2n ** 63n)],
];

export const WORDS: readonly string[] = [
  ...['', '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'then'],
  ...['length', 'size', 'get', 'set', 'weight', 'bias', 'state_dict', 'model', 'module', 'storage'],
  ...['cpu', 'cuda:0', '0', '1', '2', '10', '-1', '0.0', 'data/0', '../data/0', '../../etc/passwd'],
  ...['/etc/passwd', 'C:\\x', 'file:///etc/passwd', 'a\0b', '.', '..', '\u00fc', '\ud83d\ude00'],
  ...['__metadata__', '_metadata', '_parameters', '_buffers', '_modules', '_extra_state'],
  ...[
    'module.a',
    '_orig_mod.a',
    'module._orig_mod.weight',
    'latin1',
    'utf-8',
    'F32',
    'BF16',
    'BOOL',
  ],
  ...[
    '<f4',
    '>f8',
    '|b1',
    '<U8',
    '|O',
    'fortran_order',
    'descr',
    'shape',
    'float32',
    'bool',
    'NaN',
  ],
];
