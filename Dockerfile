# The command `countersign`: the sandbox by default, or `serve`. compose.yaml runs both.
FROM node:24-bookworm-slim AS build
WORKDIR /repository
COPY . .
RUN npm run bootstrap build \
  && npx --yes pnpm@12.21.0 --filter countersign pack --pack-destination /packed \
  && npm install --prefix /app --omit=dev --omit=peer --ignore-scripts --no-audit --no-fund /packed/countersign-[0-9]*.tgz

FROM node:24-bookworm-slim
ENV NODE_ENV=production
COPY --from=build /app /app
RUN ln -s /app/node_modules/.bin/countersign /usr/local/bin/countersign && install --directory --owner=node --group=node /data
# Everything else may be mounted read-only; /data has the databases and the secrets next to them.
USER node
WORKDIR /data
VOLUME /data
EXPOSE 4010
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4010/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["countersign"]
CMD ["sandbox", "--listen", "0.0.0.0", "--allow-host", "localhost", "--database", "/data/sandbox.db"]
