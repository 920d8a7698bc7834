// The page: what the controls do, and what they say.

import { proxy, type Remote } from 'comlink';
import type { Engine } from '../engine/engine.js';
import { cssColour } from '../shared/palette.js';
import type {
  DeviceChoice,
  NetworkInfo,
  Segmentation,
  SegmentOptions,
  StrategyChoice,
  TrainReport,
  VolumeInfo,
} from '../shared/protocol.js';
import { button, byId, element, facts, input, make, select } from './dom.js';
import { LossCurve } from './loss-curve.js';
import { type PlaneName, planesOf } from './planes.js';
import { showRan } from './ran-table.js';
import { saveCheckpoint } from './save-file.js';
import { Scene, type Tool } from './scene.js';
import { lookUpTable, SliceView } from './slice-view.js';

type Busy = 'loading' | 'segmenting' | 'training' | 'saving' | null;

/** What starts work that can be stopped, and what stops it. */
const WORK_BUTTONS: Partial<Record<Exclude<Busy, null>, { start: string; stop: string }>> = {
  segmenting: { start: 'segment', stop: 'stop-segment' },
  training: { start: 'train', stop: 'stop' },
};
const LOADERS = ['open-volume', 'synthetic', 'try', 'open-network', 'fresh', 'apply', 'reset'];

export class App {
  readonly scene: Scene;
  readonly curve = new LossCurve();
  readonly #engine: Remote<Engine>;
  readonly #stopWords: Int32Array | null;
  readonly #views = new Map<PlaneName, SliceView>();
  #table = lookUpTable(0.55);
  #tableOpacity = 0.55;
  #network: NetworkInfo | null = null;
  #counts: readonly number[] | null = null;
  #busy: Busy = null;
  #drawWaits = false;

  /** `stopWords` is memory shared with the engine, null where there is none. */
  constructor(engine: Remote<Engine>, stopWords: Int32Array | null) {
    this.#engine = engine;
    this.#stopWords = stopWords;
    this.scene = new Scene(
      () => this.#drawSoon(),
      (stroke) => {
        void engine.paint(stroke);
        this.#refresh();
      },
    );
    for (const name of ['axial', 'coronal', 'sagittal'] as const) {
      const figure = document.querySelector<HTMLElement>(`[data-plane=${name}]`);
      const title = name[0].toUpperCase() + name.slice(1);
      if (figure) this.#views.set(name, new SliceView(figure, title, this.scene));
    }
    this.#refresh();
  }

  // ---- saying things ----

  say(text: string): void {
    element('status').textContent = text;
  }

  /** Shows what went wrong until it is dismissed or something else works. */
  fail(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    const dismiss = make('button', { type: 'button', class: 'quiet' }, 'Dismiss');
    dismiss.addEventListener('click', () => {
      this.#clearAlert();
      element('views').focus();
    });
    const alert = element('alert');
    alert.replaceChildren(make('p', {}, text), dismiss);
    alert.hidden = false;
    this.say('That did not work; see the message above.');
  }

  #clearAlert(): void {
    element('alert').hidden = true;
  }

  /** Runs one thing at a time; errors are shown and nothing else changes. */
  async #run(busy: Exclude<Busy, null>, work: () => Promise<void>): Promise<void> {
    if (this.#busy !== null) {
      this.say(`Still ${this.#busy}; stop that first or wait.`);
      return;
    }
    this.#busy = busy;
    this.#clearAlert();
    const from = document.activeElement;
    this.#refresh();
    // Keys would go nowhere from a control that this has switched off.
    const own = WORK_BUTTONS[busy];
    if (own && from === button(own.start)) button(own.stop).focus();
    try {
      await work();
    } catch (error) {
      if (error instanceof Error && error.name === 'Stopped') this.say('Stopped.');
      else this.fail(error);
    } finally {
      this.#busy = null;
      element('train-progress').hidden = true;
      const stays = own !== undefined && document.activeElement === button(own.stop);
      this.#refresh();
      if (stays) button(own.start).focus();
    }
  }

  get busy(): Busy {
    return this.#busy;
  }

  // ---- opening ----

  open(files: readonly File[]): Promise<void> {
    return this.#run('loading', async () => {
      // Descriptions last: they are about a network.
      const isJson = (file: File) => /\.json$/i.test(file.name);
      const problems: string[] = [];
      for (const file of [...files].sort((a, b) => Number(isJson(a)) - Number(isJson(b)))) {
        this.say(`Reading ${file.name}…`);
        try {
          await this.#openOne(file, isJson(file));
        } catch (error) {
          problems.push(error instanceof Error ? error.message : String(error));
        }
      }
      if (problems.length > 0) throw new Error(problems.join('\n'));
    });
  }

  async #openOne(file: File, isJson: boolean): Promise<void> {
    if (isJson) {
      this.useNetwork(await this.#engine.describe(await file.text()));
      this.say(`Described by ${file.name}.`);
      return;
    }
    const opened = await this.#engine.open(file);
    if (opened.kind === 'volume') this.useVolume(opened.volume);
    else {
      this.useNetwork(opened.network);
      this.curve.set([]);
    }
  }

  synthetic(): Promise<void> {
    return this.#run('loading', async () => {
      this.useVolume(await this.#engine.synthetic(Number(select('synthetic-edge').value)));
    });
  }

  freshNetwork(): Promise<void> {
    return this.#run('loading', async () => {
      this.useNetwork(await this.#engine.freshNetwork(3));
      this.curve.set([]);
    });
  }

  /** A synthetic volume and, where none is open, a fresh network, for whoever has neither at hand. */
  tryIt(): Promise<void> {
    return this.#run('loading', async () => {
      if (this.#network === null) this.useNetwork(await this.#engine.freshNetwork(3));
      this.useVolume(await this.#engine.synthetic(Number(select('synthetic-edge').value)));
      this.setTool('paint');
      this.say('Paint some of each class in a slice, then fine-tune, then segment.');
      document.querySelector<HTMLElement>('[data-plane=axial] canvas')?.focus();
    });
  }

  useVolume(volume: VolumeInfo): void {
    element('welcome').hidden = true;
    this.scene.use(volume);
    const planes = planesOf(volume);
    for (const [name, view] of this.#views) view.use(planes[name]);
    this.#counts = null;
    element('volume-empty').hidden = true;
    facts(element('volume-facts'), [
      ['Name', volume.name],
      ['Voxels', `${volume.shape.join(' × ')}, ${volume.type}`],
      [
        'Spacing',
        `${volume.spacing.map((s) => Number(s.toPrecision(3))).join(' × ')} ${volume.unit}`,
      ],
      ...(volume.note === '' ? [] : ([['Note', volume.note]] as const)),
    ]);
    showRan([], '');
    this.say(`Opened ${volume.name}, ${volume.shape.join(' × ')} voxels.`);
    this.#refresh();
  }

  useNetwork(network: NetworkInfo): void {
    this.#network = network;
    element('network-empty').hidden = true;
    facts(element('network-facts'), [
      ['Name', network.name],
      ['Layers', `${network.layers.length}, ${network.parameters.toLocaleString('en')} parameters`],
      ['Sees', `${network.receptiveField} voxels along each axis`],
      ['Classes', String(network.classes.length)],
    ]);
    const assumed = element('network-assumed');
    assumed.hidden = network.assumed.length === 0;
    assumed.textContent = `No checkpoint says it, so assumed: ${network.assumed.join('; ')}. Change it below.`;
    element('description-box').hidden = false;
    element('layers').replaceChildren(
      ...network.layers.map(({ name, text }) => make('li', {}, make('b', {}, name), ` ${text}`)),
    );
    byId('description', HTMLTextAreaElement).value = JSON.stringify(network.description, null, 1);
    this.#showClasses();
    this.say(`Network ${network.name}: ${network.layers.length} layers.`);
    this.#refresh();
  }

  describe(): Promise<void> {
    return this.#run('loading', async () => {
      this.useNetwork(await this.#engine.describe(byId('description', HTMLTextAreaElement).value));
    });
  }

  resetWeights(): Promise<void> {
    return this.#run('loading', async () => {
      this.useNetwork(await this.#engine.resetWeights());
      this.curve.set([]);
      this.say('The weights are those that were loaded.');
    });
  }

  chooseEngine(): Promise<void> {
    return this.#run('loading', async () => {
      const [device, forward, backward] = ['device', 'forward', 'backward'].map(
        (id) => select(id).value,
      );
      await this.#engine.choose({
        device: device as DeviceChoice,
        forward: forward as StrategyChoice,
        backward: backward as StrategyChoice,
      });
      this.say(`Device ${device}; forward ${forward}, backward ${backward}.`);
    });
  }

  // ---- work ----

  segment(): Promise<void> {
    return this.#run('segmenting', async () => {
      const bar = byId('progress', HTMLProgressElement);
      bar.hidden = false;
      bar.value = 0;
      try {
        const options: SegmentOptions = {
          mode: select('mode').value as SegmentOptions['mode'],
          windowSize: Number(select('window-size').value),
          overlap: 0.25,
        };
        this.say('Segmenting…');
        const result = await this.#engine.segment(
          options,
          proxy((part: number, text: string) => {
            bar.value = part;
            element('segment-note').textContent = text;
          }),
        );
        this.#showSegmentation(result);
      } finally {
        bar.hidden = true;
      }
    });
  }

  #showSegmentation({ labels, counts, seconds, how, ran }: Segmentation): void {
    this.scene.useLabels(labels);
    this.#counts = counts;
    this.#showClasses();
    setTimeout(() => showRan(ran, `Segmentation: ${how}`));
    this.say(`Segmented in ${seconds.toFixed(1)} s: ${how}.`);
  }

  train(): Promise<void> {
    return this.#run('training', async () => {
      const steps = Number(input('steps').value);
      this.say('Fine-tuning…');
      let done = 0;
      await this.#engine.train(
        {
          steps,
          learningRate: Number(input('rate').value),
          patch: Number(select('patch').value),
          hold: Number(select('hold').value),
        },
        proxy((report: TrainReport) => {
          done += report.losses.length;
          this.#showStep(report, done, steps);
        }),
      );
      this.#counts = null;
      this.#showClasses();
      const how = done < steps ? `Stopped after ${done} steps` : `${done} steps done`;
      this.say(`${how}. Segment again to see the whole volume, or save the network.`);
    });
  }

  #showStep(report: TrainReport, done: number, steps: number): void {
    this.curve.add(report.losses);
    if (report.patch) this.scene.patchLabels(report.patch);
    const { ran } = report;
    // In a task of its own, so that none is long.
    if (ran) setTimeout(() => showRan(ran, 'The first step of fine-tuning'));
    const bar = byId('train-progress', HTMLProgressElement);
    bar.value = done / steps;
    bar.hidden = done >= steps;
    const left = Math.round(((steps - done) * report.msPerStep) / 1000);
    const mebibytes = Math.round(report.memoryBytes / 2 ** 20);
    element('train-note').textContent =
      `Step ${done} of ${steps}, ${report.msPerStep.toFixed(0)} ms each` +
      (mebibytes > 0 ? `, ${mebibytes} MiB on the device` : '') +
      (left > 0 ? `, ${left} s left` : '');
  }

  stop(): void {
    if (this.#stopWords) Atomics.store(this.#stopWords, 0, 1);
    void this.#engine.stop();
    this.say('Stopping…');
  }

  save(): Promise<void> {
    return this.#run('saving', async () => {
      const name = `${(this.#network?.name ?? 'network').replace(/[^\w.-]+/g, '-')}-tuned.pt`;
      this.say('Saving…');
      const said = await saveCheckpoint(this.#engine, name);
      this.say(said ?? 'Not saved: no place was chosen.');
    });
  }

  restore(id: string): Promise<void> {
    return this.#run('loading', async () => {
      this.say('Restoring…');
      const { volume, network, painted, losses } = await this.#engine.restore(id);
      this.useVolume(volume);
      if (network) this.useNetwork(network);
      this.scene.restorePaint(painted);
      this.curve.set(losses);
      this.say(`Restored ${volume.name}${network ? ` and ${network.name}` : ''}.`);
    });
  }

  // ---- paint ----

  setTool(tool: Tool): void {
    this.scene.tool = tool;
    const radio = document.querySelector<HTMLInputElement>(`[name=tool][value=${tool}]`);
    if (radio) radio.checked = true;
    document.body.dataset.tool = tool;
    this.#refresh();
  }

  setClass(index: number): void {
    if (index < 0 || index >= (this.#network?.classes.length ?? 3)) return;
    this.scene.brushClass = index;
    const radio = document.querySelector<HTMLInputElement>(`[name=class][value="${index}"]`);
    if (radio) radio.checked = true;
  }

  setBrush(radius: number): void {
    this.scene.brushRadius = Math.max(0, Math.min(12, radius));
    input('brush').value = String(this.scene.brushRadius);
    element('brush-size').textContent = `${2 * this.scene.brushRadius + 1} voxels`;
  }

  setOpacity(part: number): void {
    this.scene.opacity = part;
    this.#drawSoon();
  }

  #showClasses(): void {
    const classes = this.#network?.classes ?? [];
    const total = this.scene.volume?.grey.length ?? 0;
    element('classes').replaceChildren(
      ...classes.map((name, i) => {
        const radio = make('input', { type: 'radio', name: 'class', value: String(i) });
        radio.checked = i === this.scene.brushClass;
        radio.addEventListener('change', () => this.setClass(i));
        const swatch = make('i', {});
        swatch.style.background = cssColour(i);
        const small = make('small', {}, '');
        const count = this.#counts?.[i];
        if (count !== undefined) {
          small.textContent = `${((100 * count) / total).toFixed(2)} %${this.#volumeText(count)}`;
          small.title = `${count.toLocaleString('en')} voxels`;
          small.dataset.count = String(count);
        }
        return make('label', {}, radio, swatch, make('span', {}, name), small);
      }),
    );
    if (this.scene.brushClass >= classes.length) this.setClass(Math.max(0, classes.length - 1));
  }

  /** ` · 519 ml`, where the unit is known to be millimetres. */
  #volumeText(count: number): string {
    const { volume } = this.scene;
    if (volume?.unit !== 'mm') return '';
    const millilitres = (count * volume.spacing.reduce((a, b) => a * b, 1)) / 1000;
    return ` · ${millilitres.toFixed(millilitres < 10 ? 1 : 0)} ml`;
  }

  // ---- keeping up ----

  #drawSoon(): void {
    if (this.#drawWaits) return;
    this.#drawWaits = true;
    requestAnimationFrame(() => {
      this.#drawWaits = false;
      const { opacity } = this.scene;
      if (opacity !== this.#tableOpacity) {
        this.#table = lookUpTable(opacity);
        this.#tableOpacity = opacity;
      }
      for (const view of this.#views.values()) view.draw(this.#table);
    });
  }

  /** Which controls can be used now, and why not. */
  #refresh(): void {
    const [busy, network, volume] = [this.#busy, this.#network, this.scene?.volume];
    const idle = busy === null;
    const ready = network !== null && volume !== null && volume !== undefined;
    const count = this.scene?.paintedCount ?? 0;
    button('segment').disabled = !(idle && ready);
    button('train').disabled = !(idle && ready && count > 0);
    button('stop').disabled = busy !== 'training';
    button('stop-segment').disabled = busy !== 'segmenting';
    button('save').disabled = !(idle && network !== null);
    for (const id of LOADERS) button(id).disabled = !idle;
    for (const id of ['device', 'forward', 'backward']) select(id).disabled = !idle;
    button('undo').disabled = !this.scene?.canUndo;
    button('clear').disabled = count === 0;
    element('painted').textContent =
      count === 0 ? 'nothing painted' : `${count.toLocaleString('en')} voxels painted`;
    if (!idle) return;
    const missing = [volume ? '' : 'a volume', network ? '' : 'a network'].filter((t) => t !== '');
    element('segment-note').textContent = ready ? '' : `Open ${missing.join(' and ')} first.`;
    if (!ready) element('train-note').textContent = `Open ${missing.join(' and ')} first.`;
    else if (count === 0) element('train-note').textContent = 'Paint some voxels first.';
    else if (/first\.$/.test(element('train-note').textContent ?? ''))
      element('train-note').textContent = '';
    document.body.dataset.busy = busy ?? '';
  }
}
