import { CaptureError, ConnectionError } from './capture-error.js';
const FIRST_DELAY_MS = 250;
/**
 * Retries while the service is busy (429, 503) or unreachable. Captures change nothing in the service, so repeating one is harmless.
 * Waits as long as the service requests, otherwise with exponential backoff and jitter, so that refused clients don't return together.
 */
export async function withRetries(attempt, { retries, maxDelayMs, signal }) {
    for (let tried = 0;; tried++) {
        try {
            return await attempt();
        }
        catch (error) {
            signal.throwIfAborted();
            if (tried >= retries || !isPassing(error))
                throw error;
            const delayMs = delayBefore(tried, error.retryAfter);
            if (delayMs.least > maxDelayMs)
                throw error;
            await delay(Math.min(delayMs.least + Math.random() * delayMs.spread, maxDelayMs), signal);
        }
    }
}
function isPassing(error) {
    if (error instanceof ConnectionError)
        return true;
    return error instanceof CaptureError && (error.status === 429 || error.status === 503);
}
function delayBefore(tried, retryAfter) {
    const step = FIRST_DELAY_MS * 2 ** tried;
    return retryAfter === undefined
        ? { least: step / 2, spread: step / 2 }
        : { least: retryAfter * 1000, spread: FIRST_DELAY_MS };
}
/** Waits. Rejects with the signal's reason as soon as it fires. */
export function delay(milliseconds, signal) {
    return new Promise((resolve, reject) => {
        if (signal.aborted)
            throw signal.reason;
        const onAbort = () => {
            clearTimeout(timer);
            reject(signal.reason);
        };
        const timer = setTimeout(() => {
            signal.removeEventListener('abort', onAbort);
            resolve();
        }, milliseconds);
        signal.addEventListener('abort', onAbort, { once: true });
    });
}
