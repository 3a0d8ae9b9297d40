# The proxy in a small image: built with all tools, run with none of them, as a user without rights.

FROM node:22-alpine AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json tsconfig.build.json ./
COPY rewrite rewrite
COPY proxy proxy
COPY src src
COPY scripts scripts
RUN npm ci --ignore-scripts && npm run build && npm prune --omit=dev --ignore-scripts

FROM node:22-alpine
WORKDIR /app
# `docker stop` kills after 10 seconds: by then clients have had their time.
ENV NODE_ENV=production \
    LIVEFOLD_LISTEN=0.0.0.0:28016 \
    LIVEFOLD_DRAIN_SECONDS=8
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
USER node
EXPOSE 28016
STOPSIGNAL SIGTERM
# Healthy is what accepts a connection; it need not be able to reach upstream.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
  CMD ["node", "-e", "require('node:net').connect(process.env.LIVEFOLD_LISTEN.split(':').pop(),'127.0.0.1').once('connect',()=>process.exit(0)).once('error',()=>process.exit(1))"]
ENTRYPOINT ["node", "dist/src/main.js"]
