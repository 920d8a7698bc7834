// The pickle machine by itself: opcodes, refusals, bounds.

import { describe, expect, test } from 'vitest';
import { CheckpointError, load } from '../src/index.js';
import { unpickle } from '../src/torch/unpickler.js';
import { bytes, expectFailure, mapIn, torchFile, u32, u64 } from './support.js';

const PROTO = bytes(0x80, 2);
const EMPTY_TUPLE = ')';

/** What a .pt file with this pickle loads as. */
const loadPickle = async (...parts: Parameters<typeof bytes>) =>
  load(await torchFile(bytes(PROTO, ...parts, '.')));

const unicode = (text: string) => bytes('X', u32(text.length), text);

describe('values', () => {
  test.each<[string, Parameters<typeof bytes>, unknown]>([
    ['None', ['N'], null],
    ['True', [0x88], true],
    ['BININT', ['J', u32(0xfffffffe)], -2],
    ['LONG1 of no bytes', [0x8a, 0], 0],
    ['LONG1 small', [0x8a, 1, 0xff], -1],
    ['LONG1 large', [0x8a, 9, u64(0), 1], 2n ** 64n],
    ['LONG4', [0x8b, u32(2), 0x00, 0x80], -32768],
    ['BINFLOAT', ['G', 0x3f, 0xf8, 0, 0, 0, 0, 0, 0], 1.5],
    ['SHORT_BINSTRING of Python 2', ['U', 2, 'ab'], 'ab'],
    ['BINSTRING that is not UTF-8', ['T', u32(1), 0xe9], 'é'],
    ['BINUNICODE8', [0x8d, u64(1), 'a'], 'a'],
    ['BINBYTES8', [0x8e, u64(1), 7], Uint8Array.of(7)],
    ['POP', ['NK', 1, '0'], null],
    ['POP of a MARK', ['N(0'], null],
    ['POP_MARK', ['N(K', 1, '1'], null],
    ['nested tuples', ['K', 1, 0x85, 'K', 2, 0x86], [[1], 2]],
    ['LONG_BINPUT', ['K', 7, 'r', u32(2 ** 31), '0j', u32(2 ** 31)], 7],
    ['a list extended twice', ['](K', 1, 'eK', 2, 'a'], [1, 2]],
    ['EMPTY_SET, ADDITEMS', [0x8f, '(K', 1, 'K', 2, 0x90], new Set([1, 2])],
    ['STACK_GLOBAL', [0x8c, 5, 'torch', 0x8c, 5, 'int64', 0x93], 'int64'],
  ])('%s', async (_, parts, value) => {
    expect(await loadPickle(...parts)).toEqual(value);
  });

  test('an object that is referred to twice is one object', async () => {
    const value = await loadPickle(']q', 1, '(h', 1, 'h', 1, 'e0(}q', 2, 'h', 2, 't');
    const [first, second] = value as unknown[];
    expect(first).toBe(second);
  });

  test('a list within itself', async () => {
    const value = await loadPickle(']q', 1, 'h', 1, 'a');
    expect((value as unknown[])[0]).toBe(value);
  });

  test('keys that are tuples, bytes, classes and frozensets are texts', async () => {
    const keys: [Parameters<typeof bytes>, string][] = [
      [[')'], '()'],
      [['K', 1, 0x85], '(1,)'],
      [['K', 1, unicode("it's"), 0x86], "(1, 'it\\'s')"],
      [['NG', 0x3f, 0xe0, u32(0), 0, 0, 0x88, 0x85, 0x87], '(None, 0.5, (True,))'],
      [['C', 2, 'ab'], "b'ab'"],
      [['ctorch\nfloat32\n'], 'torch.float32'],
      [['(K', 1, 0x91], 'frozenset({1})'],
    ];
    for (const [key, text] of keys)
      expect(await loadPickle('}', ...key, 'K', 5, 's')).toEqual(new Map([[text, 5]]));
  });

  test('what stands under a key without a text is reported', async () => {
    const deep = bytes(')', ...Array<number>(20).fill(0x85));
    const long = bytes('(', ...Array.from({ length: 20 }, () => unicode('x'.repeat(100))), 't');
    const twice = bytes('}(K', 1, 0x85, 'K', 5, unicode('(1,)'), 'K', 6, 'u');
    for (const [pickle, expected] of [
      [bytes('}', deep, 'K', 5, 's'), []],
      [bytes('}', long, 'K', 5, 's'), []],
      [twice, [['(1,)', 6]]],
    ] as const) {
      const reported: string[] = [];
      const value = await load(await torchFile(bytes(PROTO, pickle, '.')), {
        onUnreadable: ({ unreadable }) => reported.push(unreadable ?? ''),
      });
      expect([...mapIn(value)]).toEqual(expected);
      expect(reported).toEqual([expect.stringMatching(/^stands under a key/)]);
    }
  });

  test('keys of all plain kinds', async () => {
    const value = mapIn(
      await loadPickle(
        '}(NK',
        1,
        0x88,
        'K',
        2,
        'G',
        0x3f,
        0xe0,
        u32(0),
        0,
        0,
        'K',
        3,
        'K',
        5,
        'K',
        4,
        'u',
      ),
    );
    expect([...value]).toEqual([
      [null, 1],
      [true, 2],
      [0.5, 3],
      [5, 4],
    ]);
  });
});

describe('names', () => {
  test.each([
    ['os', 'system'],
    ['posix', 'system'],
    ['subprocess', 'Popen'],
    ['builtins', 'eval'],
    ['__builtin__', 'setattr'],
    ['importlib.machinery', 'SourceFileLoader'],
  ])('%s.%s is refused, whatever else the file holds', async (module, name) => {
    const pickle = bytes(`c${module}\n${name}\n`, unicode('echo'), 0x85, 'R');
    const stacked = bytes(0x8c, module.length, module, 0x8c, name.length, name, 0x93);
    for (const value of [pickle, stacked, bytes(pickle, '0N')]) {
      const error = await expectFailure(loadPickle(value), 'REFUSED', /made to do harm/);
      expect(error.message).toContain(JSON.stringify(`${module}.${name}`));
      expect(error.where.entry).toBe('archive/data.pkl');
    }
  });

  test.each([
    ['torch', 'load'],
    ['__main__', 'Network'],
    ['', ''],
    ['constructor', '__proto__'],
  ])('an object of %s.%s is not made', async (module, name) => {
    const pickle = bytes(`c${module}\n${name}\n`, unicode('echo'), 0x85, 'R');
    const error = await expectFailure(loadPickle(pickle), 'REFUSED', /nothing in a file is run/);
    expect(error.message).toContain(JSON.stringify(`${module}.${name}`));
    expect(error.where).toMatchObject({ entry: 'archive/data.pkl', offset: 2 });
    // The name alone is a text.
    expect(await loadPickle(`c${module}\n${name}\n`)).toBe(`${module}.${name}`);
  });

  const call = (owner: string, name: string, builtins = 'builtins') =>
    loadPickle(bytes(`c${builtins}\ngetattr\n`, owner, unicode(name), 0x86, 'R'));
  const ONE_CYCLE = 'ctorch.optim.lr_scheduler\nOneCycleLR\n';

  test('getattr of the annealing curves is their name', async () => {
    for (const builtins of ['builtins', '__builtin__'])
      expect(await call(ONE_CYCLE, '_annealing_cos', builtins)).toBe(
        'torch.optim.lr_scheduler.OneCycleLR._annealing_cos',
      );
    expect(await call('ctorch.optim.swa_utils\nSWALR\n', '_linear_anneal')).toBe(
      'torch.optim.swa_utils.SWALR._linear_anneal',
    );
  });

  test.each([
    [ONE_CYCLE, '__init__'],
    ['ctorch.optim.sgd\nSGD\n', '_annealing_cos'],
    ['ccollections\nOrderedDict\n', '_annealing_cos'],
  ])('getattr(%j, %s) is a name and nothing more', async (owner, name) => {
    const [module, className] = owner.slice(1).split('\n');
    expect(await call(owner, name)).toBe(`${module}.${className}.${name}`);
  });

  test('getattr of a value is refused, as are names without end', async () => {
    await expectFailure(call('N', '_annealing_cos'), 'CORRUPT', /getattr of something other/);
    const name = unicode('a'.repeat(100));
    const chain = bytes('ca\nb\nq', 0, `0${'cbuiltins\ngetattr\n'.repeat(20)}`, 'h', 0);
    const calls = Array.from({ length: 20 }, () => bytes(name, 0x86, 'R'));
    await expectFailure(loadPickle(chain, ...calls), 'CORRUPT', /a name of 1013 characters/);
  });

  test('an object of an unknown class is left out, and what stands beside it is read', async () => {
    const object = bytes(
      'cmy.config\nConfig\n',
      EMPTY_TUPLE,
      0x81,
      '}',
      unicode('lr'),
      'K',
      1,
      'sb',
    );
    const reported: unknown[] = [];
    const pickle = bytes(
      '}(',
      unicode('config'),
      object,
      unicode('list'),
      ']',
      object,
      'a',
      unicode('n'),
      'K',
      7,
      'u',
    );
    const value = await load(await torchFile(bytes(PROTO, pickle, '.')), {
      onUnreadable: ({ name, unreadable }) => reported.push([name, unreadable]),
    });
    expect(value).toEqual(
      new Map<string, unknown>([
        ['list', [null]],
        ['n', 7],
      ]),
    );
    expect(reported).toEqual([
      ['config', expect.stringContaining('"my.config.Config"')],
      ['list.0', expect.stringContaining('"my.config.Config"')],
    ]);
  });

  test('subclasses of dict and list are what they hold', async () => {
    const dict = bytes('cmunch\nMunch\n', EMPTY_TUPLE, 0x81, 'K', 1, 'K', 2, 's');
    expect(await loadPickle(dict)).toEqual(new Map([[1, 2]]));
    const list = bytes('comegaconf\nListConfig\n', EMPTY_TUPLE, 0x81, '(K', 1, 'K', 2, 'e');
    expect(await loadPickle(list)).toEqual([1, 2]);
  });
});

describe('what no writer makes', () => {
  test.each<[string, Parameters<typeof bytes>, RegExp]>([
    ['an unknown opcode', [0xff], /opcode 0xff/],
    ['an opcode of protocol 0', ['I01\n'], /opcode 0x49/],
    ['DUP', ['N2'], /opcode 0x32/],
    ['protocol 6', [0x80, 6, 'N'], /protocol 6/],
    ['an empty stack', ['0'], /MARK/],
    ['STOP with nothing', [], /empty stack/],
    ['STOP with too much', ['NN'], /left over/],
    ['STOP within a MARK', ['(N'], /left over/],
    ['TUPLE without a MARK', ['Nt'], /MARK/],
    ['TUPLE2 of one', ['N', 0x86], /empty stack/],
    ['an unset memo', ['h', 9], /memo 9/],
    ['a memo of nothing', ['q', 9], /needs a value/],
    ['APPEND to a dict', ['}Na'], /not a list/],
    ['SETITEM of a list', [']NNs'], /not a dict/],
    ['SETITEMS of odd length', ['}(Nu'], /missing/],
    ['ADDITEMS to a list', ['](N', 0x90], /not a set/],
    ['a list as a key', ['}]Ns'], /as a key/],
    ['a call of a number', ['K', 1, EMPTY_TUPLE, 'R'], /cannot be called/],
    ['a call of a type', ['ctorch\nint64\n', EMPTY_TUPLE, 'R'], /cannot be called/],
    ['a call with a list', ['ccollections\nOrderedDict\n]R'], /not a tuple/],
    ['BUILD of a list', [']}b'], /has none/],
    ['BUILD of a dict with a tuple', ['})b'], /has none/],
    ['STACK_GLOBAL of numbers', ['K', 1, 'K', 2, 0x93], /other than texts/],
    ['a persistent id that is a text', [unicode('x'), 'Q'], /not a storage/],
    ['text that is not UTF-8', ['X', u32(1), 0xff], /not UTF-8/],
    ['a name without an end', ['cos'], /within a name/],
    ['bytes beyond the end', ['B', u32(1e9)], /1000000000 more bytes/],
    ['bytes beyond 2^53', [0x8e, u64(2n ** 60n)], /length/],
    ['a frame beyond the end', [0x95, u64(1000), 'N'], /1000 more bytes/],
    ['an integer of a megabyte', [0x8b, u32(2 ** 20), new Uint8Array(2 ** 20)], /an integer of/],
    ['bytes of a number', ['c_codecs\nencode\nK', 1, 0x85, 'R'], /not text/],
    ['an OrderedDict of numbers', ['ccollections\nOrderedDict\nK', 1, 0x85, 'R'], /list, tuple/],
    ['a Size of nothing', ['ctorch\nSize\nN', 0x85, 'R'], /list, tuple/],
  ])('%s', async (_, parts, message) => {
    const error = await expectFailure(loadPickle(...parts), 'CORRUPT', message);
    expect(error.where.entry).toBe('archive/data.pkl');
    expect(error.where.offset).toBeGreaterThanOrEqual(2);
  });

  test('a pickle of protocol 0 or 1', async () => {
    const message = /Protocols 0 and 1 are not read.*torch\.save\(torch\.load\(path\), other\)/;
    for (const pickle of ['(dp0\n.', '}q\0.', ''])
      await expectFailure(
        load(await torchFile(bytes(pickle))),
        pickle === '' ? 'CORRUPT' : 'UNSUPPORTED',
        pickle === '' ? /data ends here/ : message,
      );
  });

  test('every opcode alone, and before each other, ends in an error or a value', () => {
    for (let a = 0; a < 256; a++)
      for (let b = 0; b < 256; b++) {
        const pickle = bytes(PROTO, '(N}](K', 1, a, b, 1, 0, 0, 0, '.');
        try {
          unpickle(pickle);
        } catch (error) {
          expect(error).toBeInstanceOf(CheckpointError);
        }
      }
  });
});

describe('bounds', () => {
  test('nesting', async () => {
    const deep = (levels: number) => loadPickle(']'.repeat(levels), 'a'.repeat(levels - 1));
    await deep(500);
    await expectFailure(deep(100_000), 'LIMIT', /deep/);
  });

  test('tuples within tuples, and a dict of dicts', async () => {
    await expectFailure(loadPickle('N', ...Array(50_000).fill(0x85)), 'LIMIT', /deep/);
    const dicts = `${'}N'.repeat(50_000)}}${'s'.repeat(50_000)}`;
    await expectFailure(loadPickle(dicts), 'LIMIT', /deep/);
  });

  test('objects shared at every level do not multiply', async () => {
    // l0 = []; l1 = [l0, l0]; … l99 has 2^99 paths to l0.
    const levels = Array.from({ length: 99 }, (_, i) => bytes('](h', i, 'h', i, 'eq', i + 1, '0'));
    const value = await loadPickle(']q', 0, '0', ...levels, 'h', 99);
    expect(value).toHaveLength(2);
  });

  test('calls that copy are paid for', async () => {
    const list = bytes('](', 'N'.repeat(50_000), 'eq', 0, '0');
    const call = bytes('c__builtin__\nset\nh', 0, 0x85, 'R0');
    const pickle = bytes(list, ...Array<Uint8Array>(400).fill(call), 'N');
    await expectFailure(loadPickle(pickle), 'LIMIT', /operations|more objects/);
  });

  test('a tensor in a million places, and a dict in as many', async () => {
    const tensor = bytes(
      'ctorch._utils\n_rebuild_meta_tensor_no_storage\n(ctorch\nfloat32\n))',
      0x89,
      'tR',
    );
    const list = bytes(tensor, 'q', 0, '0](', 'h\0'.repeat(1_000_000), 'e');
    await expectFailure(loadPickle(list), 'LIMIT', /more than 200000 tensors/);

    const items = Array.from({ length: 20_000 }, (_, i) => bytes('J', u32(i), 'h', 0));
    const dict = bytes(
      tensor,
      'q',
      0,
      '0}(',
      ...items,
      'uq',
      1,
      '0](',
      'h\x01'.repeat(500_000),
      'e',
    );
    const value = await load(await torchFile(bytes(PROTO, dict, '.')), { onUnreadable() {} });
    expect(value).toHaveLength(500_000);
  });

  test('a tuple as the key of a million entries', async () => {
    const inner = bytes('(', 'N'.repeat(40), 'tq', 0, '0');
    const dict = bytes(inner, '}(', 'h\0\x85N'.repeat(300_000), 'u');
    await expectFailure(loadPickle(dict), 'LIMIT', /names of the values take more than 32 MB/);
  });

  test('a long run of operations ends', async () => {
    const pickle = new Uint8Array(5_000_001).fill('N'.charCodeAt(0));
    pickle.set(PROTO);
    expect(() => unpickle(pickle)).toThrow(/operations|more objects/);
  });

  test('a rebuild within a rebuild', async () => {
    const name = 'ctorch._tensor\n_rebuild_from_type_v2\n';
    const pickle = bytes('(', name, 'ctorch\nTensor\n(', name, 'ctorch\nTensor\n)NtNt');
    await expectFailure(loadPickle(name, pickle, 'R'), 'CORRUPT', /without the call/);
  });
});
