// The binary format of WebAssembly, as little of it as kernels need
// (https://webassembly.github.io/spec/core/binary/).

/** Unsigned LEB128. */
export function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(rest > 0 ? low | 0x80 : low);
  } while (rest > 0);
  return bytes;
}

/** Signed LEB128 of a 32-bit integer. */
export function signed(value: number): number[] {
  const bytes: number[] = [];
  let rest = value | 0;
  for (;;) {
    const low = rest & 0x7f;
    rest >>= 7;
    const done = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0);
    bytes.push(done ? low : low | 0x80);
    if (done) return bytes;
  }
}

/** Signed LEB128 of a 64-bit integer. */
export function signed64(value: bigint): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asIntN(64, value);
  for (;;) {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    const done = (rest === 0n && (low & 0x40) === 0) || (rest === -1n && (low & 0x40) !== 0);
    bytes.push(done ? low : low | 0x80);
    if (done) return bytes;
  }
}

const scratch = new DataView(new ArrayBuffer(8));

export function float32Bytes(value: number): number[] {
  scratch.setFloat32(0, value, true);
  return Array.from({ length: 4 }, (_, i) => scratch.getUint8(i));
}

export function float64Bytes(value: number): number[] {
  scratch.setFloat64(0, value, true);
  return Array.from({ length: 8 }, (_, i) => scratch.getUint8(i));
}

/** A list: its length, then its items. */
export const list = (items: readonly (readonly number[])[]): number[] => [
  ...unsigned(items.length),
  ...items.flat(),
];

const text = (value: string): number[] => {
  const bytes = [...new TextEncoder().encode(value)];
  return [...unsigned(bytes.length), ...bytes];
};

const section = (id: number, body: readonly number[]): number[] => [
  id,
  ...unsigned(body.length),
  ...body,
];

/** A function type by the codes of its parameters; kernels return nothing. */
const functionType = (params: readonly number[]): number[] => [
  0x60,
  ...unsigned(params.length),
  ...params,
  0,
];

/** What a kernel module is made of. */
export interface ModuleParts {
  readonly name: string;
  readonly params: readonly number[];
  /** Runs of locals of one type, after the parameters. */
  readonly locals: readonly { readonly count: number; readonly type: number }[];
  readonly body: readonly number[];
  /** Whether the imported memory is shared between threads. */
  readonly sharedMemory: boolean;
}

export const MAX_PAGES = 65536;

/** A module that imports `m.m`, a memory, and exports one function under `k`. */
export function encodeModule({
  name,
  params,
  locals,
  body,
  sharedMemory,
}: ModuleParts): Uint8Array {
  const limits = [sharedMemory ? 0x03 : 0x01, ...unsigned(0), ...unsigned(MAX_PAGES)];
  const code = [
    ...list(locals.map(({ count, type }) => [...unsigned(count), type])),
    ...body,
    0x0b,
  ];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, list([functionType(params)])),
    ...section(2, list([[...text('m'), ...text('m'), 0x02, ...limits]])),
    ...section(3, list([[0]])),
    ...section(7, list([[...text('k'), 0x00, 0]])),
    ...section(10, list([[...unsigned(code.length), ...code]])),
    // The name section shows the kernel by name in stack traces and profiles.
    ...section(0, [...text('name'), ...section(1, list([[0, ...text(name)]]))]),
  ]);
}
