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

# A release passes the digest of this image, so that it can be built again: --build-arg NODE_IMAGE=node:24-trixie-slim@sha256:...
ARG NODE_IMAGE=node:24-trixie-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Without install scripts: the `node` package would download a second Node, which only machines without Node 24 need.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY src ./src
# The guides of the running service.
COPY README.md SECURITY.md UPGRADING.md CHANGELOG.md ./
COPY docs ./docs
RUN npm run build

# A separate stage keeps npm's cache out of the image.
FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# Removes the embedded browser, because the image has Debian's browser with its security updates. --omit=optional would
# also remove sharp's binaries.
RUN npm ci --omit=dev --ignore-scripts && rm -r node_modules/@sparticuz
# Removes files of autoconsent that are not read at run time: tests and single rules (13 of 15 MB). The licence stays.
RUN cd node_modules/@duckduckgo/autoconsent \
  && find . -mindepth 1 -maxdepth 1 ! -name dist ! -name rules ! -name package.json ! -name LICENSE -exec rm -r {} + \
  && rm -r dist/addon-* rules/autoconsent rules/generated
# The software bill of materials: the npm packages, from the lock file. Debian's are added below.
RUN mkdir /sbom && npm sbom --sbom-format=spdx --package-lock-only --omit=dev > /sbom/npm.spdx.json

FROM ${NODE_IMAGE}
ARG VERSION=0.1.0
ARG REVISION
ARG CREATED
LABEL org.opencontainers.image.title="capture-service" \
  org.opencontainers.image.description="Turns web pages into pictures and documents over HTTP" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.base.name="node:24-trixie-slim" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.created="${CREATED}"

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
  && install --directory --owner=10001 --group=0 --mode=2770 /data

WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
COPY deploy/capture-service.sh /usr/local/bin/capture-service
COPY --from=packages /sbom /app/sbom
# The headless shell reads dictionaries for `hyphens: auto` from a folder beside its program. Debian's package has none.
RUN ln -s /app/dist/hyphen-data /usr/lib/chromium/hyphen-data \
  && dpkg-query --show --showformat='${binary:Package} ${Version} ${source:Package} ${source:Version}\n' > sbom/debian-packages.txt

ENV HOST=0.0.0.0 NODE_ENV=production
EXPOSE 8080
# Files of /data belong to group 0 as well: OpenShift runs containers as any user of that group. The user is a number, because Kubernetes' runAsNonRoot can't resolve names.
USER 10001:10001

# Without --start-interval, which Docker before version 25 refuses (docker/cli#4486).
HEALTHCHECK --interval=5s --timeout=6s --start-period=30s --retries=6 \
  CMD ["capture-service", "health"]

# tini is process 1. It forwards signals and reaps orphans of the browser, which would stay as zombies under Node.
ENTRYPOINT ["/usr/bin/tini", "--"]
CMD ["node", "dist/main.js"]
