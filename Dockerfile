# docker build -t capture-service .
# docker run -p 8080:8080 -e AUTH_TOKEN capture-service
#
# That works on every host. Docker's default seccomp profile refuses what the browser's sandbox needs, so that the log has a warning
# then; with it, and everything else taken away that it can do without:
#
# docker run --read-only --tmpfs /tmp:rw,nosuid,nodev,size=1g --cap-drop ALL --security-opt no-new-privileges \
#   --security-opt seccomp=deploy/seccomp.json -p 8080:8080 -e AUTH_TOKEN capture-service
#
# /tmp is all that it writes to: browser profiles, and the memory that the browser's processes share. With `-e DATA_DIR=/data -v results:/data`
# it has a volume for stored results as well.

FROM node:24-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# No install scripts: the `node` package would fetch a second Node, which only machines without Node 24 need.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY src ./src
RUN npm run build

# A stage of its own, so that npm's cache stays out of the image.
FROM node:24-trixie-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# The embedded browser goes: this image has Debian's, which gets its security updates. Not by --omit=optional, which would
# leave out sharp's binaries too.
RUN npm ci --omit=dev --ignore-scripts && rm -r node_modules/@sparticuz
# Of autoconsent, what is not read at run time goes: its tests, and its rules one by one (13 of 15 MB). Its licence stays.
RUN cd node_modules/@duckduckgo/autoconsent \
  && find . -mindepth 1 -maxdepth 1 ! -name dist ! -name rules ! -name package.json ! -name LICENSE -exec rm -r {} + \
  && rm -r dist/addon-* rules/autoconsent rules/generated

FROM node:24-trixie-slim
# The font cache is valid for one time of its folder, to the nanosecond, and a layer keeps whole seconds: hence the round
# times. Without a valid cache each browser reads every font again, and starts in 0.5 s, not 0.15 s (2026-11-20).
RUN apt-get update \
  && apt-get install --yes --no-install-recommends \
    chromium-headless-shell \
    fontconfig \
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

ENV HOST=0.0.0.0 NODE_ENV=production
EXPOSE 8080
# A number, not the name: Kubernetes' runAsNonRoot can't look names up.
USER 10001:10001

HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/health/live').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

# tini is process 1: it passes signals on and reaps the browser's orphans, which would pile up as zombies under Node.
ENTRYPOINT ["/usr/bin/tini", "--"]
CMD ["node", "dist/main.js"]
