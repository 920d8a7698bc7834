// What the threads of a device share, at fixed addresses of its memory. All are 32-bit words.

/** Word positions. */
export const CONTROL = {
  /** Counts jobs; workers wait for it to change. */
  sequence: 256,
  /** How many workers are inside the job; the top bit says that it is closed. */
  gate: 272,
  /** The next item that nobody has taken. */
  next: 288,
  items: 304,
  /** Which kernel, and where its module is: workers compile it when they first meet it. */
  kernel: 305,
  moduleAt: 306,
  moduleBytes: 307,
  /** 1 + the item at which a worker failed. */
  trap: 308,
  /** Workers that have started. */
  ready: 309,
  /** Counts up when workers must forget their kernels. */
  generation: 310,
  /** Bytes and place of the text of a failure. */
  messageBytes: 311,
  /** Where the sequences of each lane are listed; 0 in a job of a single kernel. */
  sequences: 312,
  /** Lanes of such a job: further threads leave it to them. */
  lanes: 313,
} as const;

export const CLOSED = 0x40000000;

/** Where the text of a failure is written. */
export const MESSAGE_AT = 4096;
export const MESSAGE_LIMIT = 1024;

/** Arguments of a kernel: words first, then float64 numbers. */
export const ARGUMENTS_AT = 8192;
export const NUMBERS_AT = ARGUMENTS_AT + 512;
