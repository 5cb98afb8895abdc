; The pairs of a mapping take the place of the one that holds it, and so do the items of a list.
((block_mapping_pair value: (block_node (block_mapping) @splice.inner)) @splice.outer)
((block_sequence_item (block_node (block_sequence) @splice.inner)) @splice.outer)
