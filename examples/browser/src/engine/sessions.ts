// The last states, kept in IndexedDB: every write is one transaction, so a tab that closes in the
// middle leaves the state before.

import { createStore, delMany, entries, get, set, setMany, type UseStore } from 'idb-keyval';
import type { NetworkDescription, SavedSession, Stroke } from '../shared/protocol.js';

/** A volume as it can be opened again. */
export type KeptVolume =
  | { readonly kind: 'file'; readonly file: File }
  | { readonly kind: 'synthetic'; readonly edge: number };

export interface KeptNetwork {
  readonly fileName: string;
  /** The weights as a `.pt` file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly description: NetworkDescription;
  readonly assumed: readonly string[];
  readonly steps: number;
  readonly losses: readonly number[];
}

export interface KeptState {
  readonly summary: SavedSession;
  readonly network: KeptNetwork | null;
  readonly painted: Stroke;
}

/** Sessions that are kept; older ones go. */
const MOST = 3;

const store = (): UseStore => createStore('voxgrad-demo', 'sessions');
const stateKey = (id: string) => `state ${id}`;
const volumeKey = (id: string) => `volume ${id}`;

/** The session of this page. */
export class Sessions {
  readonly #id = crypto.randomUUID();
  readonly #store = store();
  #volume: KeptVolume | null = null;
  #volumeWritten = false;

  /** What later states belong to. */
  use(volume: KeptVolume): void {
    this.#volume = volume;
    this.#volumeWritten = false;
  }

  /** Writes a state and, with the first one, its volume. */
  async keep(state: Omit<KeptState, 'summary'>, names: Pick<SavedSession, 'volume' | 'network'>) {
    if (this.#volume === null) return;
    const kept: KeptState = {
      ...state,
      summary: {
        id: this.#id,
        savedAt: Date.now(),
        steps: state.network?.steps ?? 0,
        painted: state.painted.at.length,
        ...names,
      },
    };
    if (this.#volumeWritten) await set(stateKey(this.#id), kept, this.#store);
    else {
      const both: [string, unknown][] = [
        [stateKey(this.#id), kept],
        [volumeKey(this.#id), this.#volume],
      ];
      await setMany(both, this.#store);
      this.#volumeWritten = true;
      await this.#dropOldest();
    }
  }

  /** The sessions of earlier pages, the newest first. */
  async list(): Promise<SavedSession[]> {
    const all = await entries<string, KeptState>(this.#store);
    return all
      .filter(([key]) => key.startsWith('state '))
      .map(([, { summary }]) => summary)
      .filter(({ id }) => id !== this.#id)
      .sort((a, b) => b.savedAt - a.savedAt);
  }

  /** @throws Error where it is gone */
  async read(id: string): Promise<{ readonly state: KeptState; readonly volume: KeptVolume }> {
    const state = await get<KeptState>(stateKey(id), this.#store);
    const volume = await get<KeptVolume>(volumeKey(id), this.#store);
    if (!state || !volume)
      throw new Error('This session is gone; another tab may have dropped it.');
    return { state, volume };
  }

  async drop(id: string): Promise<void> {
    await delMany([stateKey(id), volumeKey(id)], this.#store);
  }

  async #dropOldest(): Promise<void> {
    const others = await this.list();
    for (const { id } of others.slice(MOST - 1)) await this.drop(id);
  }
}
