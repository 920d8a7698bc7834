import './style.css';
import { wrap } from 'comlink';
import type { Engine } from './engine/engine.js';
import { App } from './page/app.js';
import { button, element, input, make, select } from './page/dom.js';
import { showEnvironment } from './page/environment.js';
import type { Tool } from './page/scene.js';
import type { SavedSession } from './shared/protocol.js';

const worker = new Worker(new URL('./engine/worker.ts', import.meta.url), {
  type: 'module',
  name: 'engine',
});
const engine = wrap<Engine>(worker);
const stopWords = crossOriginIsolated ? new Int32Array(new SharedArrayBuffer(4)) : null;
const app = new App(engine, stopWords);

worker.addEventListener('error', (event) => {
  event.preventDefault();
  app.fail(new Error(`The engine could not start or has died: ${event.message}. Reload the page.`));
});

const STRATEGIES = [
  ['auto', 'automatic'],
  ['fused', 'fused'],
  ['composite', 'composite'],
  ['tiled', 'tiled'],
] as const;
for (const id of ['forward', 'backward'])
  select(id).replaceChildren(...STRATEGIES.map(([value, text]) => make('option', { value }, text)));

const clicks: Readonly<Record<string, () => unknown>> = {
  'open-volume': () => pickFiles('.nii,.gz,.nii.gz'),
  'open-network': () => pickFiles('.pt,.pth,.bin,.safetensors,.json'),
  synthetic: () => app.synthetic(),
  try: () => app.tryIt(),
  fresh: () => app.freshNetwork(),
  apply: () => app.describe(),
  reset: () => app.resetWeights(),
  segment: () => app.segment(),
  train: () => app.train(),
  stop: () => app.stop(),
  'stop-segment': () => app.stop(),
  save: () => app.save(),
  undo: () => app.scene.undo(),
  clear: () => app.scene.eraseAll(),
  theme: () => switchTheme(),
};
for (const [id, action] of Object.entries(clicks)) button(id).addEventListener('click', action);
for (const id of ['device', 'forward', 'backward'])
  select(id).addEventListener('change', () => app.chooseEngine());
input('brush').addEventListener('input', () => app.setBrush(Number(input('brush').value)));
input('opacity').addEventListener('input', () =>
  app.setOpacity(Number(input('opacity').value) / 100),
);
for (const radio of document.querySelectorAll<HTMLInputElement>('[name=tool]'))
  radio.addEventListener('change', () => app.setTool(radio.value as Tool));

// ---- files ----

function pickFiles(accept: string): void {
  input('file').accept = accept;
  input('file').value = '';
  input('file').click();
}
input('file').addEventListener('change', () => app.open([...(input('file').files ?? [])]));

let dragDepth = 0;
const showDrop = (by: number) => {
  dragDepth = Math.max(0, dragDepth + by);
  element('drop').hidden = dragDepth === 0;
};
addEventListener('dragenter', (event) => {
  event.preventDefault();
  showDrop(1);
});
addEventListener('dragleave', () => showDrop(-1));
addEventListener('dragover', (event) => event.preventDefault());
addEventListener('drop', (event) => {
  event.preventDefault();
  showDrop(-dragDepth);
  const files = [...(event.dataTransfer?.files ?? [])];
  if (files.length > 0) void app.open(files);
});

// ---- keys ----

addEventListener('keydown', (event) => {
  const typing =
    event.target instanceof HTMLTextAreaElement ||
    (event.target instanceof HTMLInputElement && event.target.type === 'number');
  const key = event.key.toLowerCase();
  if (event.ctrlKey || event.metaKey) {
    if (key === 's') {
      event.preventDefault();
      if (!button('save').disabled) void app.save();
    } else if (key === 'z' && !typing) {
      event.preventDefault();
      app.scene.undo();
    }
    return;
  }
  if (key === 'escape' && (app.busy === 'training' || app.busy === 'segmenting')) app.stop();
  if (typing || event.target instanceof HTMLSelectElement) return;
  const tools: Record<string, Tool> = { l: 'look', p: 'paint', e: 'erase' };
  if (tools[key]) app.setTool(tools[key]);
  else if (/^[1-8]$/.test(key)) app.setClass(Number(key) - 1);
  else if (key === '[') app.setBrush(app.scene.brushRadius - 1);
  else if (key === ']') app.setBrush(app.scene.brushRadius + 1);
});

// A file that is being written would be left as it was; this asks before that happens.
addEventListener('beforeunload', (event) => {
  if (app.busy === 'saving') event.preventDefault();
});
// What was painted or learnt since the last write.
addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') void engine.keepNow();
});

// ---- colours ----

function useTheme(theme: string): void {
  document.documentElement.dataset.theme = theme;
  const other = theme === 'dark' ? 'light' : 'dark';
  button('theme').setAttribute('aria-label', `Switch to ${other} colours`);
  app.curve.redraw();
}
function switchTheme(): void {
  const theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
  try {
    localStorage.setItem('voxgrad-theme', theme);
  } catch {
    // Storage may be forbidden; the choice then lasts as long as the page.
  }
  useTheme(theme);
}
function firstTheme(): string {
  try {
    const kept = localStorage.getItem('voxgrad-theme');
    if (kept === 'dark' || kept === 'light') return kept;
  } catch {
    // As above.
  }
  return matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark';
}
useTheme(firstTheme());

// ---- start ----

function offer(sessions: readonly SavedSession[]): void {
  const banner = element('restore');
  banner.hidden = sessions.length === 0;
  const leave = () => {
    banner.hidden = true;
    element('views').focus();
  };
  const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  const rows = sessions.map((session) => {
    const parts = [
      session.volume,
      session.network,
      session.steps > 0 ? `${session.steps} steps` : '',
      session.painted > 0 ? `${session.painted.toLocaleString('en')} voxels painted` : '',
    ].filter((part) => part !== '');
    const text = `${parts.join(' · ')}, ${time.format(session.savedAt)}`;
    const restore = make('button', { type: 'button', 'aria-label': `Restore ${text}` }, 'Restore');
    restore.addEventListener('click', async () => {
      await app.restore(session.id);
      leave();
    });
    const drop = make(
      'button',
      { type: 'button', class: 'quiet', 'aria-label': `Forget ${text}` },
      'Forget',
    );
    drop.addEventListener('click', async () => {
      await engine.dropSession(session.id);
      offer(sessions.filter((other) => other !== session));
    });
    return make('li', {}, make('span', {}, text), restore, drop);
  });
  const close = make('button', { type: 'button', class: 'quiet' }, 'Not now');
  close.addEventListener('click', leave);
  const title =
    sessions.length === 1 ? 'There is an earlier session' : 'There are earlier sessions';
  banner.replaceChildren(make('p', {}, title), make('ul', {}, ...rows), close);
}

try {
  if (stopWords) await engine.shareStop(stopWords);
  showEnvironment(await engine.environment());
  app.say('Ready. Open a volume and a network, or take synthetic ones.');
  offer(await engine.sessions());
} catch (error) {
  app.fail(error);
}
