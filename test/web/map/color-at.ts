import type { Page } from 'playwright-core'

/** The color of the map at a place near its middle, in pixels, as red, green and blue. */
export const colorAt = async (page: Page, right: number, down: number): Promise<number[]> => {
  const box = await page.locator('.map').boundingBox()
  if (box === null) throw new Error('the map is not visible')
  const clip = { x: box.x + box.width / 2 + right, y: box.y + box.height / 2 + down, width: 4, height: 4 }
  const picture = (await page.screenshot({ clip })).toString('base64')
  return page.evaluate(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${picture}'
    await image.decode()
    const canvas = document.createElement('canvas').getContext('2d')
    canvas.drawImage(image, 0, 0)
    return [...canvas.getImageData(1, 1, 1, 1).data].slice(0, 3)
  })()`)
}
