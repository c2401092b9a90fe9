#!/usr/bin/env bash
# Writes the next versions, also into the examples of continuous integration, which are no packages of the workspace.
set -euo pipefail
npx --yes -p pnpm@12.21.0 -c "pnpm changeset version"
version=$(node -p "require('./packages/cli/package.json').version")
for folder in docs/ci/*/; do npm pkg set --prefix "$folder" "devDependencies.countersign=$version"; done
