FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY bin bin
COPY vite.config.ts tsconfig.json ./
COPY scripts scripts
COPY src src
COPY migrations migrations
COPY docs docs
COPY skills skills
RUN npm run build
# The optional packages are Node and Postgres for machines without them; here the image and DATABASE_URL provide both.
RUN npm prune --omit=dev --omit=optional
# Everyone may read the files and nobody may write them, whatever modes the clone has.
RUN chmod -R a+rX,a-w .

FROM node:24.21.0-bookworm-slim
# npm writes only to /tmp, so that the commands (npm run keys) work on a read-only file system.
ENV HOST=0.0.0.0 npm_config_cache=/tmp/npm npm_config_logs_max=0 npm_config_update_notifier=false
WORKDIR /app
COPY --from=build /app ./
RUN ln -s /app/bin/formhost.js /usr/local/bin/formhost
# A new volume that is mounted here belongs to this user, as its folder does.
RUN install -d -o node -g node -m 700 /backups
ARG VERSION=local
LABEL org.opencontainers.image.title=formhost \
      org.opencontainers.image.description="Publishes HTML pages sent over a JSON API, receives what their forms submit, and returns it exactly as it was sent." \
      org.opencontainers.image.licenses=MIT \
      org.opencontainers.image.version=$VERSION
USER node
EXPOSE 3000
# /healthz and not /readyz: a process without its database still serves pages from memory, and must not be restarted.
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s --retries=3 CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["formhost", "start"]
