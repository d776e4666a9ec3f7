/** Reads the headers of a capture. */
export function readFacts(headers) {
    const text = (name) => headers.get(name) ?? undefined;
    const number = (name) => {
        const value = headers.get(name);
        return value === null ? undefined : Number(value);
    };
    return {
        contentType: text('content-type') ?? 'application/octet-stream',
        width: number('x-image-width'),
        height: number('x-image-height'),
        targetStatus: number('x-target-status'),
        targetUrl: text('x-target-url'),
        warnings: text('x-capture-warnings')?.split(',') ?? [],
        blockedRequests: number('x-blocked-requests') ?? 0,
        filteredRequests: number('x-filtered-requests') ?? 0,
        storedPath: text('x-stored-path'),
        storedUrl: text('x-stored-url'),
        timings: readTimings(text('server-timing') ?? ''),
        requestId: text('x-request-id'),
        headers,
    };
}
function readTimings(serverTiming) {
    const parts = serverTiming.matchAll(/([\w-]+);dur=([\d.]+)/g);
    return Object.fromEntries([...parts].map(([, name = '', duration]) => [name, Number(duration)]));
}
