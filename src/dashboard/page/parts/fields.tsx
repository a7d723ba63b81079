import type { Ref } from "preact";

interface TextFieldProps {
  readonly label: string;
  /** Class of the `label` element. Default: a line of a form. */
  readonly look?: string;
  readonly value: string;
  readonly onText: (text: string) => void;
  readonly ref?: Ref<HTMLInputElement>;
  readonly type?: "search" | "number";
  /** Id of {@link Suggestions}. */
  readonly list?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly min?: number;
  readonly step?: string;
}

export function TextField({ label, look = "field", onText, ...input }: TextFieldProps) {
  return (
    <label class={look}>
      <span>{label}</span>
      <input
        {...input}
        onInput={(event) => {
          onText(event.currentTarget.value);
        }}
      />
    </label>
  );
}

/** An amount in US dollars, or a number of steps. */
export function NumberField(props: TextFieldProps) {
  return <TextField type="number" min={0} step="any" {...props} />;
}

interface SelectFieldProps {
  readonly label: string;
  readonly look?: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onValue: (value: string) => void;
}

export function SelectField({ label, look = "field", value, options, onValue }: SelectFieldProps) {
  return (
    <label class={look}>
      <span>{label}</span>
      <select
        value={value}
        onChange={(event) => {
          onValue(event.currentTarget.value);
        }}
      >
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Suggestions for the text fields with this `list`. */
export function Suggestions({
  id,
  values,
}: {
  readonly id: string;
  readonly values: readonly string[];
}) {
  return (
    <datalist id={id}>
      {values.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}
