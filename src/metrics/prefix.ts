/** In front of the names of all metrics that are ours. */
export const PREFIX = 'capture_service_';
