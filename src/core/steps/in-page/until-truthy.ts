/**
 * True if the probe, or the function that it returns, returns a truthy value. An exception counts as false, because a
 * variable may not exist yet.
 */
export async function isTruthy(probe: () => unknown): Promise<boolean> {
  try {
    const value = probe();
    return Boolean(await (typeof value === 'function' ? value() : value));
  } catch {
    return false;
  }
}

/**
 * Resolves when the probe is truthy. Checks at each frame, and every 100 ms if frames are rare. Runs in the page's own
 * world for as long as the caller waits.
 */
export async function untilTruthy(probe: () => unknown): Promise<void> {
  while (!(await isTruthy(probe))) {
    await new Promise((resolve) => {
      // A page may remove either function.
      if (typeof requestAnimationFrame === 'function') requestAnimationFrame(resolve);
      if (typeof setTimeout === 'function') setTimeout(resolve, 100);
    });
  }
}
