import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Secrets } from "../../../src/process/secrets/secrets.ts";

function secretsOf(
  env: Readonly<Record<string, string>>,
  warn = (_: string) => undefined,
): Secrets {
  const secrets = new Secrets({ environments: [env], ignoreCase: false, warn });
  secrets.declare(Object.keys(env));
  return secrets;
}

function through(chunks: readonly Buffer[], secrets: Secrets, how: "stream" | "mask" = "stream") {
  const written: Buffer[] = [];
  const stream = secrets[how]((chunk) => written.push(chunk));
  for (const chunk of chunks) stream.push(chunk);
  stream.end();
  return Buffer.concat(written);
}

/** Cuts a text into pieces of these sizes, in turn. */
function cut(text: string, sizes: readonly number[]): readonly Buffer[] {
  const bytes = Buffer.from(text);
  const chunks: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

const VALUE = 's3cr"et/\\päss';

describe("a secret value", () => {
  it("is replaced by the name of its variable", () => {
    const secrets = secretsOf({ TOKEN: VALUE });
    expect(secrets.text(`it is ${VALUE}.`)).toBe("it is ***TOKEN***.");
    expect(secrets.text("nothing")).toBe("nothing");
  });

  it("is replaced where it is escaped as a JSON string, once or twice", () => {
    const secrets = secretsOf({ TOKEN: VALUE });
    const once = JSON.stringify({ a: VALUE });
    expect(secrets.text(once)).toBe('{"a":"***TOKEN***"}');
    expect(secrets.text(JSON.stringify(once))).not.toContain("s3cr");
  });

  it.each([
    ["set -x", `a'b c$d"e~f`, String.raw`'a'\''b c$d"e~f'`, "'***TOKEN***'"],
    ["printf %q", `a'b c$d"e~f`, String.raw`a\'b\ c\$d\"e~f`, "***TOKEN***"],
    ["printf %q", "p!w{x}(y);#z,[]*?^", String.raw`p\!w\{x\}\(y\)\;#z\,\[\]\*\?\^`, "***TOKEN***"],
    ["declare -p", `a'b c$d"e~f`, String.raw`"a'b c\$d\"e~f"`, '"***TOKEN***"'],
    ["printf %q", "two\nlin'es", String.raw`$'two\nlin\'es'`, "$'***TOKEN***'"],
  ])("is replaced as the shell prints it with %s", (_, value, printed, clean) => {
    expect(secretsOf({ TOKEN: value }).text(printed)).toBe(clean);
    expect(through(cut(printed, [3]), secretsOf({ TOKEN: value })).toString()).toBe(clean);
  });

  it("is replaced without its surrounding line ends, as shells drop them", () => {
    expect(secretsOf({ TOKEN: "abcdefgh\n" }).text("[abcdefgh]")).toBe("[***TOKEN***]");
  });

  it("with several lines is replaced as a whole and line by line", () => {
    const key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0\nAQEFAASCBKcwggSj\n-----END KEY-----";
    const secrets = secretsOf({ KEY: key });
    expect(secrets.text(`> ${key} <`)).toBe("> ***KEY*** <");
    expect(secrets.text("  MIIEvQIBADANBgkqhkiG9w0\r\n")).toBe("  ***KEY***\r\n");
  });

  it("is not replaced if it is short, with one warning", () => {
    const warnings: string[] = [];
    const secrets = secretsOf({ PIN: "12345" }, (text) => void warnings.push(text));
    secrets.declare(["PIN", "P*"]);
    expect(secrets.text("12345")).toBe("12345");
    expect(warnings).toEqual([
      "The value of PIN is not redacted: it is shorter than 6 characters.",
    ]);
  });

  it("that its name contains is replaced by stars", () => {
    expect(secretsOf({ PASSWORD: "PASSWORD" }).text("=PASSWORD")).toBe("=***");
  });

  it("of a name that a later step declares is replaced from then on", () => {
    const environments = [{ AWS_A: "first-value", B: "other-value" }, { AWS_A: "second-value" }];
    const secrets = new Secrets({ environments, ignoreCase: false, warn: () => undefined });
    expect(secrets.isEmpty).toBe(true);
    secrets.declare(["AWS_*"]);
    expect(secrets.text("first-value second-value other-value")).toBe(
      "***AWS_A*** ***AWS_A*** other-value",
    );
  });
});

describe("a line of JSON", () => {
  it("keeps its structure, ids and numbers", () => {
    const secrets = secretsOf({ TOKEN: "assistant", PIN: "123456" });
    const line = JSON.stringify({
      type: "assistant",
      session_id: "abc123456def",
      cost: 0.123456,
      message: { role: "assistant", text: "the assistant has 123456" },
      pin: 123456,
    });
    expect(JSON.parse(secrets.json(line))).toEqual({
      type: "assistant",
      session_id: "abc123456def",
      cost: 0.123456,
      message: { role: "assistant", text: "the ***TOKEN*** has ***PIN***" },
      pin: "***PIN***",
    });
  });

  it("that is not valid is redacted as text", () => {
    expect(secretsOf({ TOKEN: "abcdef" }).json('{"a":"abcdef')).toBe('{"a":"***TOKEN***');
  });
});

describe("a stream", () => {
  it("holds back nothing that cannot become a value", () => {
    const written: string[] = [];
    const stream = secretsOf({ TOKEN: "xyzxyz1" }).stream((chunk) => written.push(String(chunk)));
    stream.push(Buffer.from("hello x"));
    expect(written).toEqual(["hello "]);
    stream.push(Buffer.from("-\n"));
    expect(written).toEqual(["hello ", "x-\n"]);
  });

  it("prefers the longer of two values", () => {
    const secrets = secretsOf({ SHORT: "abcdef", LONG: "abcdefghij" });
    expect(String(through(cut("1 abcdefghij 2 abcdefg", [3]), secrets))).toBe(
      "1 ***LONG*** 2 ***SHORT***g",
    );
  });

  const anyValue = fc.stringMatching(/^[ab"\\é]{6,12}$/);
  const anyText = fc.array(fc.oneof(fc.stringMatching(/^[ab"\\é\n]{0,8}$/), fc.constant(null)), {
    maxLength: 12,
  });
  const anySizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });

  it("never contains a value, however it is cut into chunks", () => {
    fc.assert(
      fc.property(anyValue, anyText, anySizes, (value, parts, sizes) => {
        const secrets = secretsOf({ T: value });
        const text = parts.map((part) => part ?? value).join("");
        const clean = String(through(cut(text, sizes), secrets));
        expect(clean).not.toContain(value);
        if (!text.includes(value) && secrets.text(text) === text) expect(clean).toBe(text);
      }),
    );
  });

  it("has the same length with masks, and contains no value", () => {
    fc.assert(
      fc.property(anyValue, anyText, anySizes, (value, parts, sizes) => {
        const text = parts.map((part) => part ?? value).join("");
        const masked = through(cut(text, sizes), secretsOf({ T: value }), "mask");
        expect(masked).toHaveLength(Buffer.byteLength(text));
        expect(String(masked)).not.toContain(value);
      }),
    );
  });
});
