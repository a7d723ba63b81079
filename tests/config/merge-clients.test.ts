import { expect, it } from "vitest";
import { readEnvironment } from "../../src/config/environment.ts";
import { parseConfig } from "../../src/config/load.ts";
import { mergeSettings } from "../../src/config/merge.ts";
import { changedSettings, runSettings } from "../../src/config/switches.ts";

const FILE = "/repo/.raymond/config.toml";
const file = (text: string) => parseConfig(FILE, `[raymond]\n${text}`);

it("reads the clients of several agents, also by the earlier names", () => {
  expect(file('client = "/opt/claude"').settings).toEqual({ clients: { default: "/opt/claude" } });
  expect(file('client = { codex = "/opt/codex" }\nclaude = "/opt/claude"').settings).toEqual({
    clients: { codex: "/opt/codex", claude: "/opt/claude" },
  });
  expect(
    readEnvironment({ RAYMOND_CLAUDE: "/opt/claude", RAYMOND_CLIENT: "codex=/opt/codex" }),
  ).toEqual({ clients: { codex: "/opt/codex", claude: "/opt/claude" } });
});

it("overrides the client of one agent, and keeps the others", () => {
  const merged = mergeSettings({
    flags: { clients: { default: "/flag/claude" } },
    environment: { clients: { claude: "/variable/claude" } },
    file: file('client = { claude = "/file/claude", codex = "/file/codex", pi = "pi" }'),
  });

  expect(merged.settings.clients).toEqual({ claude: "/flag/claude", codex: "/file/codex" });
  // Only what counts needs trust.
  expect(merged.granted?.statements).toEqual(['client.codex = "/file/codex"']);
  expect(merged.notices).toEqual([`client.codex = "/file/codex" comes from ${FILE}:2.`]);
});

it("changes the client of a saved run", () => {
  const { settings } = mergeSettings({
    flags: { clients: { claude: "/opt/claude", codex: "/opt/codex" } },
    environment: {},
    file: null,
  });
  const run = runSettings(settings);

  expect(changedSettings({ clients: { default: "/new" } }, run)).toEqual({
    clients: { claude: "/new", codex: "/opt/codex" },
  });
  expect(changedSettings({ clients: { claude: "claude" } }, run)).toEqual({
    clients: { codex: "/opt/codex" },
  });
});
