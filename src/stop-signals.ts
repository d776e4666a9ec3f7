const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
const SAME_MS = 1_000;

interface SignalSource {
  readonly on: (signal: (typeof SIGNALS)[number], listener: (signal: NodeJS.Signals) => void) => unknown;
}

interface StopListener {
  /** Called once, at the first signal. */
  readonly stop: (signal: NodeJS.Signals) => void;
  /** Called when somebody insists. */
  readonly stopNow: () => void;
}

/**
 * Listens for the signals that end the service. One stop may arrive several times: a supervisor that signals the whole group reaches
 * us directly and through npm, which passes it on. So what comes within a second of the first says nothing new.
 * @param now milliseconds on a clock that never goes back
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
