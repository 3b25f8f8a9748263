FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The optional packages are Node and Postgres for machines without them; here the image and DATABASE_URL bring both.
RUN npm ci --omit=dev --omit=optional
COPY start.sh ./
COPY src src
COPY migrations migrations
# For everyone to read and for nobody to write, whatever the clone's files allow.
RUN chmod -R a+rX,a-w .

FROM node:24-bookworm-slim
# npm keeps nothing: the commands (npm run keys) work on a read-only file system.
ENV HOST=0.0.0.0 npm_config_cache=/tmp/npm npm_config_logs_max=0 npm_config_update_notifier=false
WORKDIR /app
COPY --from=build /app ./
USER node
EXPOSE 3000
# /healthz and not /readyz: a process whose database is away serves what it has, and is not to be restarted.
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s --retries=3 CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# As npm start does; without the bundler, from the sources.
CMD ["sh", "start.sh"]
