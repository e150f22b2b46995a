/** A style sheet as text, as the bundler of the pages gives it. */
declare module "*.css?raw" {
  const text: string;
  export default text;
}
