// Everybody else's turn: timers, signals and a page's clicks wait while a loop runs without a pause.

/** Longest time in ms that a loop keeps to itself. */
const LONGEST = 30;

export class Turns {
  #last = performance.now();

  /** Lets others run, where that was long ago. */
  async give(): Promise<void> {
    if (performance.now() - this.#last < LONGEST) return;
    await new Promise<void>((resolve) => {
      if (typeof setImmediate === 'function') setImmediate(resolve);
      else setTimeout(resolve, 0);
    });
    this.#last = performance.now();
  }
}
