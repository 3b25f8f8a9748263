FROM node:24-bookworm-slim
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The optional packages are Node and Postgres for machines without them; here the image and DATABASE_URL bring both.
RUN npm ci --omit=dev --omit=optional
COPY src src
COPY migrations migrations
USER node
EXPOSE 3000
CMD ["node", "src/main.ts"]
