// Everything that computes, in the worker. The page calls the methods of one Engine; what they return
// and throw is what it shows.

import { loadStateDict, save } from '@voxgrad/checkpoint';
import { type Device, manualSeed, StateDict } from '@voxgrad/core';
import { Adam } from '@voxgrad/optim';
import { transfer } from 'comlink';
import type {
  EngineChoice,
  Environment,
  NetworkDescription,
  NetworkInfo,
  Opened,
  Restored,
  SavedSession,
  Segmentation,
  SegmentOptions,
  Stroke,
  TrainOptions,
  TrainReport,
  VolumeInfo,
} from '../shared/protocol.js';
import { Chain } from './chain.js';
import { assumedDescription, type FoundLayer, layersOf, parseDescription } from './description.js';
import { choose, environment } from './devices.js';
import { greyOf, inputOf, readScan, type Scan, syntheticScan, voxelsOf } from './scan.js';
import { segment } from './segment.js';
import { type KeptVolume, Sessions } from './sessions.js';
import { StopFlag } from './stop.js';
import { train } from './train.js';

interface Network {
  readonly fileName: string;
  readonly layers: readonly FoundLayer[];
  readonly description: NetworkDescription;
  readonly assumed: readonly string[];
  readonly chain: Chain;
  readonly optimizer: Adam;
  /** The weights as they were loaded, to go back to. */
  readonly loaded: StateDict;
  steps: number;
  losses: number[];
}

interface Volume {
  readonly scan: Scan;
  readonly painted: Uint8Array<ArrayBuffer>;
  labels: Uint8Array | null;
}

/** Milliseconds between the writes of a session while it trains. */
const KEEP_EVERY = 3000;

export class Engine {
  readonly #stop = new StopFlag();
  readonly #sessions = new Sessions();
  #choice: EngineChoice = { device: 'wasm', forward: 'auto', backward: 'auto' };
  #device: Device = choose(this.#choice);
  #volume: Volume | null = null;
  #network: Network | null = null;
  #keepTimer: ReturnType<typeof setTimeout> | undefined;
  #keeping: Promise<void> = Promise.resolve();

  environment(): Environment {
    return environment();
  }

  /** Words whose first one the page sets to stop what runs; where memory can be shared. */
  shareStop(words: Int32Array): void {
    this.#stop.share(words);
  }

  stop(): void {
    this.#stop.set();
  }

  // ---- volumes and networks ----

  /** Opens a volume or a checkpoint, told by name and by content. */
  async open(file: File): Promise<Opened> {
    const kind = kindByName(file.name) ?? (await kindByContent(file));
    if (kind === 'volume') return { kind, volume: await this.openVolume(file) };
    if (kind === 'network') return { kind, network: await this.openCheckpoint(file) };
    throw new Error(
      `${file.name} is neither a volume (.nii, .nii.gz) nor a checkpoint (.pt, .pth, .safetensors).`,
    );
  }

  async openVolume(file: File): Promise<VolumeInfo> {
    return this.#useScan(await readScan(file), { kind: 'file', file });
  }

  synthetic(edge: number): VolumeInfo {
    return this.#useScan(syntheticScan(edge), { kind: 'synthetic', edge });
  }

  #useScan(scan: Scan, kept: KeptVolume): VolumeInfo {
    const painted = new Uint8Array(voxelsOf(scan.info.shape));
    this.#volume = { scan, painted, labels: null };
    this.#sessions.use(kept);
    const grey = greyOf(scan);
    return transfer({ ...scan.info, grey }, [grey.buffer]);
  }

  async openCheckpoint(file: File): Promise<NetworkInfo> {
    const state = await loadStateDict(file, { device: 'cpu', stripPrefixes: true });
    let layers: FoundLayer[];
    try {
      layers = layersOf(state);
    } catch (error) {
      throw new Error(`${file.name}: ${error instanceof Error ? error.message : error}`);
    }
    const name = file.name.replace(/\.(pt|pth|bin|safetensors)$/i, '');
    const { description, assumed } = assumedDescription(layers, name);
    return this.#useNetwork({ fileName: file.name, layers, description, assumed, state });
  }

  /** A small MeshNet with fresh weights, the same ones every time. */
  freshNetwork(classes: number): NetworkInfo {
    manualSeed(0);
    const widths = [1, 5, 5, 5, 5, 5];
    const layers: FoundLayer[] = widths.slice(1).map((outChannels, i) => ({
      kind: 'conv',
      name: `model.${2 * i}`,
      inChannels: widths[i],
      outChannels,
      kernel: [3, 3, 3],
      groups: 1,
      bias: true,
    }));
    layers.push({
      kind: 'conv',
      name: `model.${2 * widths.length - 2}`,
      inChannels: 5,
      outChannels: classes,
      kernel: [1, 1, 1],
      groups: 1,
      bias: true,
    });
    const { description } = assumedDescription(layers, 'fresh MeshNet');
    const made = new Chain(layers, description);
    return this.#useNetwork({
      fileName: 'fresh.pt',
      layers,
      description,
      assumed: [],
      state: made.stateDict(),
    });
  }

  /** Builds the network anew from a description in JSON; its weights stay. */
  describe(json: string): NetworkInfo {
    const network = this.#needNetwork();
    const { fileName, layers, chain, steps, losses } = network;
    const description = parseDescription(json, layers, network.description);
    const state = copyOf(chain.stateDict());
    return this.#useNetwork({ fileName, layers, description, assumed: [], state, steps, losses });
  }

  #useNetwork(from: {
    fileName: string;
    layers: readonly FoundLayer[];
    description: NetworkDescription;
    assumed: readonly string[];
    state: StateDict;
    loaded?: StateDict;
    steps?: number;
    losses?: readonly number[];
  }): NetworkInfo {
    const { fileName, layers, description, assumed, state } = from;
    const chain = new Chain(layers, description);
    chain.loadStateDict(state);
    chain.eval();
    this.#network = {
      fileName,
      layers,
      description,
      assumed,
      chain,
      optimizer: new Adam(chain.parameters()),
      loaded: from.loaded ?? copyOf(state),
      steps: from.steps ?? 0,
      losses: [...(from.losses ?? [])],
    };
    return this.#networkInfo();
  }

  #networkInfo(): NetworkInfo {
    const { chain, description, assumed, steps } = this.#needNetwork();
    return {
      name: description.name,
      layers: chain.layerInfo,
      parameters: chain.parameters().reduce((sum, p) => sum + p.numel, 0),
      classes: description.classes,
      receptiveField: chain.receptiveField,
      description,
      assumed,
      steps,
    };
  }

  /** Sets the weights back to those that were loaded. */
  resetWeights(): NetworkInfo {
    const { fileName, layers, description, assumed, loaded } = this.#needNetwork();
    return this.#useNetwork({ fileName, layers, description, assumed, state: loaded });
  }

  /** Moves the network to another device, and forces strategies. */
  choose(choice: EngineChoice): void {
    const moves = choice.device !== this.#choice.device;
    this.#choice = choice;
    this.#device = choose(choice);
    const network = this.#network;
    if (!moves || !network) return;
    const state = copyOf(network.chain.stateDict());
    const moments = network.optimizer.stateDict();
    this.#useNetwork({ ...network, state });
    this.#needNetwork().optimizer.loadStateDict(moments);
  }

  // ---- work ----

  async segment(
    options: SegmentOptions,
    progress: (part: number, text: string) => void,
  ): Promise<Segmentation> {
    const [{ chain, description }, volume] = [this.#needNetwork(), this.#needVolume()];
    this.#stop.clear();
    const { input } = inputOf(volume.scan, description.normalize);
    const job = { chain, device: this.#device, input, stop: this.#stop, progress };
    const result = await segment(job, options);
    volume.labels = result.labels;
    const labels = result.labels.slice(); // the page's own
    return transfer({ ...result, labels }, [labels.buffer]);
  }

  paint({ at, value }: Stroke): void {
    const { painted } = this.#needVolume();
    for (let i = 0; i < at.length; i++) painted[at[i]] = value[i];
    this.#keepSoon(500);
  }

  async train(options: TrainOptions, report: (report: TrainReport) => void): Promise<void> {
    const [network, volume] = [this.#needNetwork(), this.#needVolume()];
    const { chain, optimizer, description } = network;
    const most = volume.painted.reduce((a, b) => Math.max(a, b), 0);
    if (most > description.classes.length)
      throw new Error(
        `Class ${most} is painted, but the network has ${description.classes.length}. Erase it first.`,
      );
    this.#stop.clear();
    const { input } = inputOf(volume.scan, description.normalize);
    try {
      await train(
        {
          chain,
          optimizer,
          device: this.#device,
          input,
          shape: volume.scan.info.shape,
          painted: volume.painted,
          labels: volume.labels,
          stop: this.#stop,
          report,
          stepped: (loss) => {
            network.losses.push(loss);
            network.steps++;
            this.#keepSoon(KEEP_EVERY);
            return network.steps;
          },
        },
        options,
      );
    } finally {
      await this.keepNow();
    }
  }

  // ---- saving ----

  /** The weights as a `.pt` file. */
  async checkpoint(): Promise<Uint8Array> {
    const bytes = await save(copyOf(this.#needNetwork().chain.stateDict()));
    return transfer(bytes, [bytes.buffer]);
  }

  /**
   * Writes the weights to a file that the user chose. It is replaced at the end and at once: until then,
   * and if this fails, it stays as it was.
   * @returns its bytes
   */
  async saveTo(handle: FileSystemFileHandle): Promise<number> {
    await save(copyOf(this.#needNetwork().chain.stateDict()), handle, { format: 'torch' });
    return (await handle.getFile()).size;
  }

  // ---- sessions ----

  async sessions(): Promise<SavedSession[]> {
    return this.#sessions.list();
  }

  dropSession(id: string): Promise<void> {
    return this.#sessions.drop(id);
  }

  async restore(id: string): Promise<Restored> {
    const { state, volume: kept } = await this.#sessions.read(id);
    const volume =
      kept.kind === 'file' ? await this.openVolume(kept.file) : this.synthetic(kept.edge);
    const { painted } = this.#needVolume();
    const { at, value } = state.painted;
    for (let i = 0; i < at.length; i++) painted[at[i]] = value[i];
    let network: NetworkInfo | null = null;
    if (state.network) {
      const { bytes, description, fileName, assumed, steps, losses } = state.network;
      const weights = await loadStateDict(bytes, { device: 'cpu' });
      const layers = layersOf(weights);
      network = this.#useNetwork({
        fileName,
        layers,
        description,
        assumed,
        state: weights,
        steps,
        losses,
      });
    }
    return { volume, network, painted: state.painted, losses: state.network?.losses ?? [] };
  }

  #keepSoon(milliseconds: number): void {
    this.#keepTimer ??= setTimeout(() => this.keepNow(), milliseconds);
  }

  /** Writes the session, one write after another. Never throws: what is on the page is not at risk. */
  keepNow(): Promise<void> {
    clearTimeout(this.#keepTimer);
    this.#keepTimer = undefined;
    this.#keeping = this.#keeping.then(() => this.#keep()).catch((error) => console.warn(error));
    return this.#keeping;
  }

  async #keep(): Promise<void> {
    const [volume, network] = [this.#volume, this.#network];
    if (!volume) return;
    const bytes = network && (await save(copyOf(network.chain.stateDict())));
    const state = {
      network: network &&
        bytes && {
          fileName: network.fileName,
          bytes,
          description: network.description,
          assumed: network.assumed,
          steps: network.steps,
          losses: network.losses,
        },
      painted: strokeOf(volume.painted),
    };
    const names = { volume: volume.scan.info.name, network: network?.description.name ?? '' };
    await this.#sessions.keep(state, names);
  }

  #needVolume(): Volume {
    if (!this.#volume) throw new Error('No volume is open yet.');
    return this.#volume;
  }

  #needNetwork(): Network {
    if (!this.#network) throw new Error('No network is open yet.');
    return this.#network;
  }
}

/** A state dict on the host that later steps do not change. */
function copyOf(state: StateDict): StateDict {
  const copy = new StateDict();
  for (const [key, tensor] of state) copy.set(key, tensor.detach().to('cpu').clone());
  copy.metadata = state.metadata;
  return copy;
}

/** All that is painted, as one stroke. */
function strokeOf(painted: Uint8Array): Stroke {
  const count = painted.reduce((sum, value) => sum + (value === 0 ? 0 : 1), 0);
  const [at, value] = [new Uint32Array(count), new Uint8Array(count)];
  let next = 0;
  for (let i = 0; i < painted.length; i++)
    if (painted[i] !== 0) {
      at[next] = i;
      value[next++] = painted[i];
    }
  return { at, value };
}

function kindByName(name: string): 'volume' | 'network' | null {
  if (/\.nii(\.gz)?$/i.test(name)) return 'volume';
  return /\.(pt|pth|bin|safetensors)$/i.test(name) ? 'network' : null;
}

/** By what the first bytes say: NIfTI (also in gzip), zip, pickle, or a header of safetensors. */
async function kindByContent(file: File): Promise<'volume' | 'network' | null> {
  const head = new Uint8Array(await file.slice(0, 352).arrayBuffer());
  const text = String.fromCharCode(...head);
  if (text.startsWith('\x1f\x8b') || /^n[+i][12]\0/.test(text.slice(344))) return 'volume';
  if (/^n[+i]2\0/.test(text.slice(4))) return 'volume';
  if (text.startsWith('PK\x03\x04') || text.startsWith('\x80\x02')) return 'network';
  return text[8] === '{' ? 'network' : null;
}
