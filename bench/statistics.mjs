/** Returns the quantile (0 to 1) of the finite numbers, interpolated linearly. NaN without numbers. */
export function quantile(values, share) {
  // NaN is a round in which all captures failed
  const sorted = values.filter(Number.isFinite).toSorted((a, b) => a - b);
  const rank = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(rank)], sorted[Math.ceil(rank)]];
  return low === undefined || high === undefined ? NaN : low + (high - low) * (rank % 1);
}

export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
