# The proxy in a small image: built with all tools, run with none of them, as a user without rights.

# Pinned by version; whoever builds for production may pin the digest, too.
FROM node:22.23.3-alpine AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json tsconfig.build.json ./
COPY rewrite rewrite
COPY proxy proxy
COPY src src
COPY scripts scripts
RUN npm ci --ignore-scripts && npm run build && npm prune --omit=dev --ignore-scripts

FROM node:22.23.3-alpine
WORKDIR /app
# `docker stop` kills after 10 seconds: by then clients have had their time, and workers that are stuck have been ended.
ENV NODE_ENV=production \
    LIVEFOLD_LISTEN=0.0.0.0:28016 \
    LIVEFOLD_ADDRESS_FILE=/tmp/livefold-address \
    LIVEFOLD_DRAIN_SECONDS=6
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
USER node
EXPOSE 28016
STOPSIGNAL SIGTERM
# Healthy is what answers the first message of a handshake; it need not be able to reach upstream.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 \
  CMD ["node", "dist/src/main.js", "health"]
ENTRYPOINT ["node", "dist/src/main.js"]
