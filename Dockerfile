# docker build -t capture-service .
# docker run -p 8080:8080 -e AUTH_TOKEN capture-service
#
# This works on every host. Docker's default seccomp profile refuses calls that the browser's sandbox needs, so the log has a warning.
# This command enables the sandbox and drops all other privileges:
#
# docker run --read-only --tmpfs /tmp:rw,nosuid,nodev,size=1g --cap-drop ALL --security-opt no-new-privileges \
#   --security-opt seccomp=deploy/seccomp.json -p 8080:8080 -e AUTH_TOKEN capture-service
#
# The service writes only to /tmp: browser profiles, and shared memory of the browser. `-e DATA_DIR=/data -v results:/data` adds
# a volume for stored results.

FROM node:24-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Without install scripts: the `node` package would download a second Node, which only machines without Node 24 need.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY src ./src
RUN npm run build

# A separate stage keeps npm's cache out of the image.
FROM node:24-trixie-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# Removes the embedded browser, because the image has Debian's browser with its security updates. --omit=optional would
# also remove sharp's binaries.
RUN npm ci --omit=dev --ignore-scripts && rm -r node_modules/@sparticuz
# Removes files of autoconsent that are not read at run time: tests and single rules (13 of 15 MB). The licence stays.
RUN cd node_modules/@duckduckgo/autoconsent \
  && find . -mindepth 1 -maxdepth 1 ! -name dist ! -name rules ! -name package.json ! -name LICENSE -exec rm -r {} + \
  && rm -r dist/addon-* rules/autoconsent rules/generated

FROM node:24-trixie-slim
# The font cache is valid only for the exact folder time in nanoseconds, but image layers store whole seconds. The times are
# therefore set to whole seconds. Without a valid cache, each browser reads all fonts and starts in 0.5 s, not 0.15 s (2026-11-20).
RUN apt-get update \
  && apt-get install --yes --no-install-recommends \
    chromium-headless-shell \
    fontconfig \
    fonts-crosextra-caladea \
    fonts-crosextra-carlito \
    fonts-liberation \
    fonts-noto-cjk \
    fonts-noto-color-emoji \
    fonts-noto-core \
    tini \
  && find /usr/share/fonts -type d -exec touch --date=2000-01-01 {} + \
  && fc-cache --force --system-only \
  && apt-get clean && rm -rf /var/lib/apt/lists/* \
  && groupadd --gid 10001 capture \
  && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin capture \
  && install --directory --owner=10001 --group=10001 --mode=750 /data

WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
# The headless shell reads dictionaries for `hyphens: auto` from a folder beside its program. Debian's package has none.
RUN ln -s /app/dist/hyphen-data /usr/lib/chromium/hyphen-data

ENV HOST=0.0.0.0 NODE_ENV=production
EXPOSE 8080
# The user is a number, because Kubernetes' runAsNonRoot can't resolve names.
USER 10001:10001

HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/health/live').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

# tini is process 1. It forwards signals and reaps orphans of the browser, which would stay as zombies under Node.
ENTRYPOINT ["/usr/bin/tini", "--"]
CMD ["node", "dist/main.js"]
