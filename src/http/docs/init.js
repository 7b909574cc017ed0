/* global SwaggerUIBundle */

const darkness = matchMedia('(prefers-color-scheme: dark)')
const wearTheme = () => document.documentElement.classList.toggle('dark-mode', darkness.matches)
darkness.addEventListener('change', wearTheme)
wearTheme()

/** What swagger-ui draws that not everyone can use, drawn otherwise. */
const drawForEveryone = ({ React }) => ({
  components: {
    // A link in a button is neither for those who hear the page. The address changes all the same when the button is pressed.
    DeepLink: ({ text }) => React.createElement('span', null, text),
    // A choice without a name, of the one server that there is.
    ServersContainer: () => null,
  },
})

/** What it leaves without a name, or out of reach of the keyboard, and what that lacks. */
const LACKING = [
  ['tr[data-param-name] select', (select) => select.setAttribute('aria-label', select.closest('tr').dataset.paramName)],
  ['textarea.body-param__text', (text) => text.setAttribute('aria-label', 'Request body')],
  ['button.close-modal', (button) => button.setAttribute('aria-label', 'Close')],
  // They have another name than what stands on them.
  ['button.modal-btn[aria-label]', (button) => button.removeAttribute('aria-label')],
  ['pre.microlight:not([tabindex])', (example) => example.setAttribute('tabindex', '0')],
]
const complete = () => {
  for (const [selector, give] of LACKING) for (const found of document.querySelectorAll(selector)) give(found)
}
new MutationObserver(complete).observe(document.getElementById('api'), { childList: true, subtree: true })

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  plugins: [drawForEveryone],
})
