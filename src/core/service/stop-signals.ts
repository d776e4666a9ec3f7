const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
const SAME_MS = 1_000;

interface SignalSource {
  readonly on: (signal: (typeof SIGNALS)[number], listener: (signal: NodeJS.Signals) => void) => unknown;
}

interface StopListener {
  /** Called once, at the first signal. */
  readonly stop: (signal: NodeJS.Signals) => void;
  /** Called at a later signal. */
  readonly stopNow: () => void;
}

/**
 * Listens for the signals that end the service. A supervisor that signals the whole process group reaches us directly
 * and through npm, so repeated signals within one second are ignored.
 * @param now milliseconds of a monotonic clock
 */
export function onStopSignals(
  { stop, stopNow }: StopListener,
  source: SignalSource = process,
  now: () => number = performance.now.bind(performance),
): void {
  let firstAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (firstAt === undefined) {
      firstAt = now();
      stop(signal);
    } else if (now() - firstAt >= SAME_MS) stopNow();
  };
  for (const signal of SIGNALS) source.on(signal, onSignal);
}
