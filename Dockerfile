# The command `countersign`: the sandbox by default, or `serve`. compose.yaml runs both.
FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
WORKDIR /repository
COPY . .
# The installation is the lockfile's.
RUN npm run bootstrap build \
  && npx --yes pnpm@12.21.0 --config.inject-workspace-packages=true --filter countersign deploy --prod --no-optional /app

FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
ENV NODE_ENV=production
COPY --from=build /app /app
RUN chmod 755 /app/lib/esm/bin.js && ln -s /app/lib/esm/bin.js /usr/local/bin/countersign \
  && install --directory --owner=node --group=node /data
# Everything else may be mounted read-only; /data has the databases and the secrets next to them.
USER node
WORKDIR /data
VOLUME /data
EXPOSE 4010
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4010/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["countersign"]
CMD ["sandbox", "--listen", "0.0.0.0", "--allow-host", "localhost", "--database", "/data/sandbox.db"]
