/**
 * Resolves when the probe, or the function that it returns, returns a truthy value. Checks at each frame, and every 100 ms if frames are
 * rare. An exception counts as false, because the variable may not exist yet. Runs in the page's own world for as long as the caller
 * waits.
 */
export async function untilTruthy(probe: () => unknown): Promise<void> {
  const holds = async (): Promise<boolean> => {
    try {
      const value = probe();
      return Boolean(await (typeof value === 'function' ? value() : value));
    } catch {
      return false;
    }
  };
  while (!(await holds())) {
    await new Promise((resolve) => {
      // A page may remove either function.
      if (typeof requestAnimationFrame === 'function') requestAnimationFrame(resolve);
      if (typeof setTimeout === 'function') setTimeout(resolve, 100);
    });
  }
}
