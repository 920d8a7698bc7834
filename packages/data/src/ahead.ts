// Work that runs ahead of its consumer, in order.

type Settled<T> = { readonly value: T } | { readonly error: unknown };

/** Never rejects: an error waits for its turn, and for nobody when the loop is left before. */
const settle = <T>(promise: Promise<T>): Promise<Settled<T>> =>
  promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );

/**
 * The results of `tasks` in their order. While the consumer works on one, up to `count` further ones
 * are under way; an error is thrown in the place of its result. A loop that is left early starts
 * nothing more and waits for what is under way, so that nothing runs on behind the consumer's back.
 */
export async function* inOrder<T>(
  tasks: Iterator<() => Promise<T>>,
  count: number,
): AsyncGenerator<T, void, undefined> {
  const underWay: Promise<Settled<T>>[] = [];
  let ended = false;
  const start = (wanted: number): void => {
    while (!ended && underWay.length < wanted) {
      try {
        const next = tasks.next();
        ended = next.done === true;
        if (!next.done) underWay.push(settle(next.value()));
      } catch (error) {
        ended = true;
        underWay.push(Promise.resolve({ error }));
      }
    }
  };
  try {
    for (;;) {
      start(Math.max(count, 1));
      const first = underWay.shift();
      if (first === undefined) return;
      const result = await first;
      if ('error' in result) throw result.error;
      start(count);
      yield result.value;
    }
  } finally {
    tasks.return?.();
    await Promise.all(underWay);
  }
}
