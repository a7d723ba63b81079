import { options, render } from "preact";
import { escapeText } from "./escape.ts";
import { App } from "./parts/app.tsx";

options.vnode = escapeText;
const page = document.getElementById("page");
if (page !== null) render(<App />, page);
