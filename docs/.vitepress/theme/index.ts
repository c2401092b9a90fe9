// Without the theme's own font: the site loads nothing but its own text, and system fonts are there already.
export { default } from "vitepress/theme-without-fonts";
// oxlint-disable-next-line import/no-unassigned-import -- Vite adds the styles to the page
import "./site.css";
