import path from "node:path";
import { expect, it } from "vitest";
import { raymond } from "../support/cli.ts";
import { tempProject } from "../support/project.ts";
import { useChromium } from "./chromium.ts";

const chromium = useChromium();

/** The printable area of an A4 page, in CSS pixels. */
const A4 = { width: 718, height: 1046 };

const AGENTS = ["about-the-first-part", "about-the-second-part"];

it("the report of a run fits on an A4 page", async () => {
  const forks = AGENTS.map((part) => `<fork next="3_WAIT.sh" part="${part}">2_LOOK.md</fork>`);
  const project = await tempProject({
    "w/1_START.sh": `cat <<'TAGS'\n${forks.join("\n")}\nTAGS`,
    "w/2_LOOK.md": "Look at {{part}} and say what it needs.",
    "w/3_WAIT.sh": `echo "<result>$(printf 'word%.0s ' $(seq 80)) $(printf 'x%.0s' $(seq 300))</result>"`,
    "w/w.sim.yaml":
      'states:\n  2_LOOK.md:\n    - reply: "<result>good</result>"\n      times: always\n',
  });
  const ran = await raymond(["run", "w", "--simulate", "--workflow-id", "printed"], { project });
  expect(ran.exitCode, ran.stderr).toBe(0);
  const report = path.join(project.dir, "report.html");
  await raymond(["report", "printed", "-o", report], { project });

  const { page } = await chromium.open("about:blank", { viewport: A4 });
  await page.emulateMedia({ media: "print" });
  await page.goto(`file://${report}`);

  const tooWide = await page.evaluate<readonly string[]>(`
    [...document.querySelectorAll("body *")]
      .filter((each) => each.closest("svg") === null)
      .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
      .map((each) => each.tagName + ": " + each.textContent.slice(0, 60))
  `);
  expect(tooWide).toEqual([]);
  expect(await page.getByRole("table").count()).toBeGreaterThan(3);
});
