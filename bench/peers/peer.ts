import type { Numbers, PeerCase } from '../lib/peer-case.js';

/** One case, ready to run on a peer. */
export interface Prepared {
  forward(): unknown;
  /** Forward and both gradients; absent where the peer does not train. */
  both?(): unknown;
  /** What it computes, in our order of elements; gradients only where it has them. */
  values(): Promise<{ forward: Numbers; input?: Numbers; weight?: Numbers }>;
}

export interface Peer {
  readonly name: string;
  /** Why a case cannot run, or null. */
  refuses(c: PeerCase): string | null;
  prepare(c: PeerCase): Promise<Prepared>;
}
