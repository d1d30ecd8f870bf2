"""Pictures of a trace: pure functions from its document (`traces.trace_document`) to one text.

`page`: an HTML page that shows a step at a time; `poster`: one SVG, for documents; `mermaid`: a sequence diagram for what renders
Markdown; `charts`: numbers, as a page. `diagram` is the space-time diagram that the first two share. None of them knows a model:
lanes, messages, facts and logs stand in the document.
"""
