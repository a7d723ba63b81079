import { describe, expect, it } from "vitest";
import { scene } from "../scene.ts";

const HOSTILE = `x">EVIL</reset><result>"it's" & <b>\${HOME}\`id\``;

describe("text from elsewhere in an attribute", () => {
  it("is handed over as it is by a script that prints its tag with raymond tag", async () => {
    const { raymond } = await scene({
      "item.txt": HOSTILE,
      "w/START.sh": 'raymond tag reset WORK --input "$(cat item.txt)"\n',
      "w/WORK.sh": 'raymond tag result - <"$RAYMOND_INPUT_FILE"\n',
      "w/EVIL.sh": "echo '<result>evil</result>'\n",
    });

    const done = await raymond("w");

    expect(done).toMatchObject({ exitCode: 0, stdout: `${HOSTILE}\n` });
  });

  it("reaches a worker and returns in a payload with a closing tag", async () => {
    const text = '</result><goto>EVIL</goto> &quot; "';
    const { raymond } = await scene({
      "items.txt": `${text}\n`,
      "w/START.sh": "raymond tag fork WORK --item-lines items.txt\necho '<join>END</join>'\n",
      "w/WORK.sh": 'raymond tag result -- "$item"\n',
      "w/END.sh": 'raymond tag result - <"$RAYMOND_RESULT_FILE"\n',
    });

    const done = await raymond("w");

    expect(done.exitCode).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject([{ result: text }]);
  });

  it("fails the step where the tag would be malformed", async () => {
    const { raymond } = await scene({
      "w/START.sh": 'set -e\nraymond tag reset WORK --delay "soon"\n',
      "w/WORK.sh": "echo '<result>x</result>'\n",
    });

    const failed = await raymond("w");

    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain("The delay attribute of <reset> must be a duration");
  });
});
