// Pickle opcodes, from CPython's Lib/pickletools.py.

/** The opcodes that PyTorch's files contain: protocol 2, and what protocols 3 to 5 add to it. */
export const Op = {
  MARK: 0x28, // (
  EMPTY_TUPLE: 0x29, // )
  STOP: 0x2e, // .
  POP: 0x30, // 0
  POP_MARK: 0x31, // 1
  BINBYTES: 0x42, // B
  SHORT_BINBYTES: 0x43, // C
  BINFLOAT: 0x47, // G
  BININT: 0x4a, // J
  BININT1: 0x4b, // K
  BININT2: 0x4d, // M
  NONE: 0x4e, // N
  BINPERSID: 0x51, // Q
  REDUCE: 0x52, // R
  BINSTRING: 0x54, // T
  SHORT_BINSTRING: 0x55, // U
  BINUNICODE: 0x58, // X
  EMPTY_LIST: 0x5d, // ]
  APPEND: 0x61, // a
  BUILD: 0x62, // b
  GLOBAL: 0x63, // c
  APPENDS: 0x65, // e
  BINGET: 0x68, // h
  LONG_BINGET: 0x6a, // j
  BINPUT: 0x71, // q
  LONG_BINPUT: 0x72, // r
  SETITEM: 0x73, // s
  TUPLE: 0x74, // t
  SETITEMS: 0x75, // u
  EMPTY_DICT: 0x7d, // }
  PROTO: 0x80,
  NEWOBJ: 0x81,
  TUPLE1: 0x85,
  TUPLE2: 0x86,
  TUPLE3: 0x87,
  NEWTRUE: 0x88,
  NEWFALSE: 0x89,
  LONG1: 0x8a,
  LONG4: 0x8b,
  SHORT_BINUNICODE: 0x8c,
  BINUNICODE8: 0x8d,
  BINBYTES8: 0x8e,
  EMPTY_SET: 0x8f,
  ADDITEMS: 0x90,
  FROZENSET: 0x91,
  NEWOBJ_EX: 0x92,
  STACK_GLOBAL: 0x93,
  MEMOIZE: 0x94,
  FRAME: 0x95,
  BYTEARRAY8: 0x96,
} as const;
