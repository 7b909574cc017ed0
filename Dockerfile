# The image for all roles (`api`, `worker`, `sync`, `scheduler`, `tiles`). It has two targets: `service`, and `browser` with Chromium,
# for workers that scrape portals which need a browser.
ARG BUN_IMAGE=oven/bun:1.4.5-slim
FROM ${BUN_IMAGE} AS dependencies
WORKDIR /app
COPY package.json bun.lock ./
COPY patches patches
# Without development tools and without the embedded servers, which are optional dependencies.
RUN bun install --frozen-lockfile --production --omit=optional

FROM ${BUN_IMAGE} AS base
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 METRICS_HOST=0.0.0.0 METRICS_PORT=9090 DATA_DIR=/data
# Bun's default is 256. Requests to portals and webhook receivers that stall would keep all others waiting, those to Meilisearch too.
ENV BUN_CONFIG_MAX_HTTP_REQUESTS=4096
# By default, Bun's allocator returns memory 0.1 s after it was freed, and the next request gets it again page by page. A process that keeps
# it takes 40% less processor time for a search (docs/measured.md, "Memory").
ENV MIMALLOC_PURGE_DELAY=-1
# New volumes mounted here take over this owner.
RUN mkdir -p /data/pages /data/exports && chown -R bun:bun /data
COPY --from=dependencies /app/node_modules node_modules
COPY package.json tsconfig.json LICENSE ./
COPY core core
COPY dev dev
COPY adapters adapters
COPY drizzle drizzle
COPY search search
COPY tiles-build tiles-build
COPY src src
USER bun
EXPOSE 3000 9090
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["bun", "src/cli/ready.ts"]
ENTRYPOINT ["bun", "src/main.ts"]

FROM base AS browser
USER root
RUN apt-get update \
  && apt-get install -y --no-install-recommends chromium-headless-shell \
  && rm -rf /var/lib/apt/lists/*
ENV CHROMIUM_PATH=/usr/lib/chromium/chromium-headless-shell
USER bun
CMD ["worker"]

FROM base AS service
CMD ["api"]
